"""Turns a Pulumi archive of assets into the zip file that Lambda takes."""

import io
import zipfile
from pathlib import Path

import pulumi

from outbox_local.errors import UnsupportedResourceError

FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest a zip file can hold: the same content gives the same bytes
READABLE_BY_ALL = 0o644 << 16


def zip_archive(archive: object) -> bytes:
    """The bytes of a zip file with the archive's assets, in the order of their names.

    Raises:
        UnsupportedResourceError: the archive holds something other than text and file assets.
    """
    if not isinstance(archive, pulumi.AssetArchive):
        raise UnsupportedResourceError(
            f"The local AWS takes a function's code as an AssetArchive, not as {type(archive).__name__}."
        )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name, asset in sorted(archive.assets.items()):
            entry = zipfile.ZipInfo(name, FIXED_DATE)
            entry.external_attr = READABLE_BY_ALL
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, _content(name, asset))
    return buffer.getvalue()


def _content(name: str, asset: object) -> bytes:
    if isinstance(asset, pulumi.StringAsset):
        return str(asset.text).encode()
    if isinstance(asset, pulumi.FileAsset):
        return Path(asset.path).read_bytes()
    raise UnsupportedResourceError(
        f"The local AWS takes text and file assets, and {name!r} in the archive is a {type(asset).__name__}."
    )
