"""`outbox permissions operator` as it is typed."""

import pytest

from tests.outbox_cli.verbs import run_verb


@pytest.mark.parametrize("account", ["12", "", "12345678901x"])
def test_account_that_is_no_account_number_is_refused_in_a_sentence(
    account: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_verb(monkeypatch, "permissions", "operator", "--account", account)

    assert code == 2
    assert f"--account is {account!r}; an AWS account's number has 12 digits." in capsys.readouterr().err
