"""The bundled SDK: exactly the pinned packages, the same from every machine, and able to run alone."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path, PurePath

import pulumi
import pytest

from components.archive import archive, function_sources
from components.lambda_function import function_code
from components.pinned_packages import REQUIREMENTS, pinned_files
from components.validation import InvalidSettingError

PINS = dict(re.findall(r"^([\w.-]+)==(\S+)", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE))
INSTALLED = Path(sysconfig.get_paths()["purelib"])
LAMBDA_ZIP_BYTES = 50_000_000  # https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html


def content_hash(code: pulumi.AssetArchive) -> str:
    """The hash that the engine compares: names and contents, wherever the files lie."""
    digest = hashlib.sha256()
    for name, asset in sorted(code.assets.items()):
        content = (
            asset.text.encode() if isinstance(asset, pulumi.StringAsset) else Path(asset.path).read_bytes()  # type: ignore[union-attr] # text or file
        )
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def code_from(site_packages: Path) -> pulumi.AssetArchive:
    return archive(
        function_sources(["consumer.py", "orders.py"]), pinned_files(search_path=str(site_packages))
    )


def installed_at(place: Path) -> Path:
    """A second installation of the pinned packages, as far as they are bundled."""
    for name, file in pinned_files().items():
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    for name in PINS:
        (record,) = [f for f in distribution(name).files or () if f.name == "RECORD"]
        shutil.copytree(Path(str(record.locate())).parent, place / record.parent)
    return place


def of_another_version(place: Path) -> None:
    (metadata,) = place.glob("botocore-*.dist-info/METADATA")
    text = metadata.read_text(encoding="utf-8")
    metadata.write_text(
        re.sub(r"^Version: .*$", "Version: 1.0.0", text, flags=re.MULTILINE), encoding="utf-8"
    )


def removed(pattern: str) -> Callable[[Path], None]:
    """Remove a file of the installation."""
    return lambda place: next(place.glob(pattern)).unlink()


def test_bundle_is_the_same_from_two_machines(tmp_path: Path) -> None:
    one, other = installed_at(tmp_path / "one"), installed_at(tmp_path / "another" / "place")
    for file in other.rglob("*.py"):
        os.utime(file, (0, 0))
    (other / "boto3" / "__pycache__").mkdir()
    (other / "boto3" / "__pycache__" / "session.cpython-314.pyc").write_bytes(b"byte-code")
    (other / "boto3" / "left_over.py").write_text("", encoding="utf-8")
    next(other.glob("boto3-*.dist-info/INSTALLER")).write_text("another", encoding="utf-8")

    assert (
        content_hash(code_from(one)) == content_hash(code_from(other)) == content_hash(code_from(INSTALLED))
    )


def test_bundle_is_sorted_and_holds_source_and_two_services_only() -> None:
    names = list(pinned_files())

    assert names == sorted(names)
    services = {PurePath(name).parts[2] for name in names if re.match(r"(botocore|boto3)/data/[^/]+/", name)}
    assert services == {"dynamodb", "sqs"}
    assert not [name for name in names if ".dist-info" in name or "__pycache__" in name or ".." in name]
    assert {PurePath(name).suffix for name in names} == {".py", ".json", ".gz", ".pem"}
    assert {PurePath(name).parts[0].removesuffix(".py") for name in names} == {
        *("boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six", "urllib3")
    }


def test_bundle_alone_runs_the_consumer_and_relay_clients(tmp_path: Path) -> None:
    for name, file in pinned_files().items():
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    for name, text in function_sources(["consumer.py", "relay.py", "orders.py"]).items():
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
    environment = {
        "PROJECTION_TABLE": "t",
        "QUEUE_URL": "https://queue.test/u",
        "AWS_DEFAULT_REGION": "eu-west-3",
    }
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import boto3, botocore, consumer, relay, json; "
        "print(json.dumps([boto3.__version__, botocore.__version__, boto3.__file__]))"
    )

    outcome = subprocess.run(
        [sys.executable, "-S", "-B", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert outcome.returncode == 0, outcome.stderr
    boto3_version, botocore_version, place = json.loads(outcome.stdout)
    assert (boto3_version, botocore_version) == (PINS["boto3"], PINS["botocore"])
    assert place.startswith(str(tmp_path))


def test_bundle_fits_a_function() -> None:
    assert sum(path.stat().st_size for path in pinned_files().values()) < LAMBDA_ZIP_BYTES / 5


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (
            of_another_version,
            rf"botocore must be {PINS['botocore']}, but it is installed as 1\.0\.0\. .* Install that file with pip",
        ),
        (removed("boto3/session.py"), r"boto3/session\.py of boto3 must be installed, but it is missing"),
        (
            removed("jmespath-*.dist-info/RECORD"),
            r"jmespath .* is installed without a list of its files\. .* or set dependencies to 'runtime'",
        ),
        (shutil.rmtree, r"boto3 must be .*, but it is not installed"),
    ],
    ids=["version", "file", "list", "package"],
)
def test_package_that_is_not_as_pinned_is_refused_with_what_to_do(
    tmp_path: Path, damage: Callable[[Path], None], sentence: str
) -> None:
    damage(installed_at(tmp_path))

    with pytest.raises(InvalidSettingError, match=sentence):
        pinned_files(search_path=str(tmp_path))


def test_own_module_that_hides_a_bundled_package_is_refused(tmp_path: Path) -> None:
    (tmp_path / "six.py").write_text("def handle(event, context): ...\n", encoding="utf-8")
    args = {"code": str(tmp_path), "handler": "six.handle"}

    kept = function_code(args, module="consumer")
    with pytest.raises(
        InvalidSettingError, match=r"code must not have six\.py, which hides the bundled package six"
    ):
        function_code({**args, "dependencies": "bundled"}, module="consumer")

    assert "six.py" in kept.archive.assets
