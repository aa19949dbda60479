"""The domain of a stack: which object tells the verbs, and what they say where there is none or a broken one."""

import sys
from pathlib import Path
from typing import Any

import pytest

from outbox_cli.domain import domain_of, load_module
from outbox_cli.errors import WrongUseError
from outbox_cli.stack.deployed import Stack
from outbox_local.errors import ProgramError

VISITS = """
from outbox.domain import Domain
from orders import VISIT, counts

DOMAIN = Domain("visits", command=VISIT, event_of=None, parse=counts().parse)
"""
# Named like the walkthrough's own module, as many a domain of orders is.
BESIDE = """
from outbox.events import EventType, Projection, no_effects
from outbox.fields import WholeNumber

VISIT = {"minutes": WholeNumber(1, 600)}


def counts():
    return Projection({EventType("visited", VISIT): no_effects})
"""


def stack_of(domain: str | None) -> Stack:
    def no_client(service: str) -> Any:
        raise AssertionError(service)

    return Stack("test", {} if domain is None else {"domain": domain}, no_client)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: desk\noutbox:\n  domain: code/visits.py\n")
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "visits.py").write_text(VISITS)
    (tmp_path / "code" / "orders.py").write_text(BESIDE)
    monkeypatch.chdir(tmp_path / "code")
    return tmp_path


@pytest.mark.parametrize(("named", "field"), [("visits", "minutes"), ("orders", "order_id")])
def test_domain_is_the_programs_or_the_walkthroughs_by_the_name_that_the_stack_exports(
    program: Path, named: str, field: str
) -> None:
    domain = domain_of(stack_of(named))

    assert domain is not None
    assert (domain.name, next(iter(domain.command))) == (named, field)


def test_domain_that_was_loaded_leaves_import_path_and_modules_as_they_were(program: Path) -> None:
    before, modules = list(sys.path), {name: sys.modules.get(name) for name in ("orders", "visits", "domain")}

    domain_of(stack_of("visits"))

    assert sys.path == before
    assert {name: sys.modules.get(name) for name in modules} == modules


@pytest.mark.parametrize("exported", [None, "hotel", 7])
def test_domain_that_nobody_names_is_none(program: Path, exported: Any) -> None:
    assert domain_of(stack_of(exported)) is None


def test_domain_of_the_walkthrough_needs_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert domain_of(stack_of("orders")) is not None
    assert domain_of(stack_of("visits")) is None


@pytest.mark.parametrize(
    ("project", "code", "sentence"),
    [
        (
            "outbox: {domain: 7}",
            "",
            "outbox.domain in .*Pulumi.yaml must be the path of a Python file, but is 7",
        ),
        (
            "outbox: code/a.py",
            "",
            "outbox in .*Pulumi.yaml must be a mapping with `domain`, but is 'code/a.py'",
        ),
        ("outbox: {domain: code/none.py}", "", "code/none.py, which outbox.domain names, is no file"),
        ("{", "", "Pulumi.yaml is no YAML"),
        (
            "outbox: {domain: a.py}",
            "import nowhere",
            "a.py cannot be loaded: ModuleNotFoundError: No module named",
        ),
        ("outbox: {domain: a.py}", "raise SystemExit(0)", "a.py cannot be loaded: SystemExit: 0"),
        ("outbox: {domain: a.py}", "raise BaseException('q')", "a.py cannot be loaded: BaseException: q"),
        ("outbox: {domain: ''}", "", "which outbox.domain names, is no file"),
        ("description: 2001-13-45", "", "Pulumi.yaml is no YAML: month must be in 1..12"),
        ("[" * 10_000, "", "Pulumi.yaml is no YAML"),
        ("outbox: {domain: a.py}", "1 +", "a.py cannot be loaded: SyntaxError"),
        ("outbox: {domain: a.py}", "DOMAIN = 7", r"a.py must have DOMAIN = Domain\(\.\.\.\), but it is 7"),
        ("outbox: {domain: a.py}", "", "a.py must have DOMAIN = .*, but has none"),
    ],
)
def test_domain_that_cannot_be_read_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: str, code: str, sentence: str
) -> None:
    (tmp_path / "Pulumi.yaml").write_text(project)
    (tmp_path / "a.py").write_text(code)
    monkeypatch.chdir(tmp_path)

    with pytest.raises((WrongUseError, ProgramError), match=sentence):
        domain_of(stack_of("visits"))


def test_module_sees_itself_while_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "typed.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n"
        "@dataclass\nclass Visit:\n    minutes: int\n"
    )

    assert load_module(tmp_path / "typed.py").Visit(5).minutes == 5
