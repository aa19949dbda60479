"""Answers of the process of an execution environment to a handler that fails, asked in this process."""

import re
import sys
from pathlib import Path

import pytest

from outbox_local.emulator import function_process

UNSHOWN = "class Own(Exception):\n    def __str__(self): raise KeyError('no text')\n"


@pytest.mark.parametrize(
    ("source", "handler", "error_type", "message"),
    [
        ("", "other.handle", "Runtime.ImportModuleError", "Unable to import module 'other': No module .*"),
        (
            "def x(:",
            "own.handle",
            "Runtime.UserCodeSyntaxError",
            "Syntax error in module 'own': .*own.py, line 1.",
        ),
        ("", "own.handle", "Runtime.HandlerNotFound", "Handler 'handle' missing on module 'own'"),
        ("", ".handle", "Runtime.MalformedHandlerName", "Bad handler 'handle': not enough values .*"),
        ("1 / 0", "own.handle", "ZeroDivisionError", "division by zero"),
        ("len(1)", "own.handle", "TypeError", r"object of type 'int' has no len\(\)"),
        (f"{UNSHOWN}raise Own()", "own.handle", "Own", "<exception str.. failed>"),
        (
            f"{UNSHOWN}def handle(event, context): raise Own()",
            "own.handle",
            "Own",
            "<exception str.. failed>",
        ),
        (
            "def handle(event, context): return {1, 2}",
            "own.handle",
            "Runtime.MarshalError",
            ".* set is not JSON .*",
        ),
        (
            "def handle(event, context): return '\\ud800'",
            "own.handle",
            "Runtime.MarshalError",
            ".* surrogates .*",
        ),
    ],
)
def test_handler_that_fails_tells_what_lambda_tells(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    source: str,
    handler: str,
    error_type: str,
    message: str,
) -> None:
    (tmp_path / "own.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own", raising=False)
    monkeypatch.setattr(function_process, "_context", lambda *_: None)
    module, _, name = handler.partition(".")

    with pytest.raises(function_process.RuntimeFailure) as failed:
        function_process.invoke(function_process.load(module, name), {"event": {}, "ctx": {}}, {})

    assert failed.value.told["errorType"] == error_type
    assert re.fullmatch(message, str(failed.value))
