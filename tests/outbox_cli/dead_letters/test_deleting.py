"""`outbox dlq delete`: only what is named, only in the state that was named, and it is shown what it held."""

import json
from typing import Any

import pytest
from typer.testing import Result

from outbox_cli.dead_letters import commands
from outbox_cli.dead_letters.deleting import delete_messages
from outbox_cli.dead_letters.messages import InboxState, list_dead_letters
from outbox_cli.output import Output
from tests.outbox_cli.dead_letters.typed import fill, run
from tests.outbox_cli.dead_letters.world import KilledError, World, with_sqs
from tests.outbox_cli.verbs import run_verb

NEW, OLD, CHANGED, NONSENSE = (f"dead-letters-{number}" for number in range(1, 5))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    fill(world)
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: world.stack)
    return world


def unseen(_: object) -> None:
    """Shown to nobody."""


def left(world: World) -> list[str]:
    return list(world.system.dead_letters.messages)


def answer_of(result: Result) -> Any:
    return json.loads(result.stdout)


def test_applied_message_is_deleted_and_shown_and_the_others_visible_at_once(world: World) -> None:
    [body] = [each.body for each in world.system.dead_letters.messages.values() if each.id == OLD]

    result = run("delete", OLD, "--json")

    answer = answer_of(result)
    assert result.exit_code == 0
    assert [(each["message_id"], each["body"]) for each in answer["messages"]] == [(OLD, body)]
    assert (answer["deleted"], answer["not_deleted"]) == (1, [])
    assert left(world) == [NEW, CHANGED, NONSENSE]
    assert len(list_dead_letters(world.stack).messages) == 3


@pytest.mark.parametrize(
    ("message_id", "way"),
    [
        (NEW, "is unapplied; redrive it, or its event stays unapplied."),
        (CHANGED, "is conflicting; if that is settled, delete it with --only conflicting."),
        (NONSENSE, "is unreadable; if that is settled, delete it with --only unreadable."),
    ],
)
def test_message_whose_effect_is_not_stored_is_left_with_what_to_do(
    world: World, message_id: str, way: str
) -> None:
    result = run("delete", message_id, OLD)

    assert result.exit_code == 1
    assert result.stdout.splitlines()[2:] == [f"Left: message {message_id} {way}", "1 deleted."]
    assert message_id in left(world)


@pytest.mark.parametrize(("message_id", "state"), [(NEW, "unapplied"), (CHANGED, "conflicting")])
def test_message_in_the_state_that_was_named_is_deleted(world: World, message_id: str, state: str) -> None:
    result = run("delete", message_id, "--only", state)

    assert result.exit_code == 0
    assert message_id not in left(world)
    assert len(left(world)) == 3


def test_dry_run_shows_the_body_and_deletes_nothing(world: World) -> None:
    result = run("delete", NONSENSE, "--only", "unreadable", "--dry-run")

    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == ['"nonsense"', "1 would be deleted."]
    assert len(left(world)) == 4


def test_message_that_nobody_sees_is_named_and_exit_code_1(world: World) -> None:
    world.system.dead_letters.receive(1)

    result = run("delete", NEW, OLD, "--json")

    answer = answer_of(result)
    assert result.exit_code == 1
    assert (answer["not_found"], answer["hidden"]) == ([NEW], 1)
    assert left(world) == [NEW, CHANGED, NONSENSE]


def test_message_that_another_reader_hides_is_not_told_where_all_that_were_named_are_found(
    world: World,
) -> None:
    world.system.dead_letters.receive(1)

    result = run("delete", OLD, "--json")

    assert (result.exit_code, answer_of(result)["hidden"]) == (0, 0)


def test_message_that_is_named_twice_is_told_once(world: World) -> None:
    done = delete_messages(
        world.stack, [OLD, OLD, "none", "none"], InboxState.APPLIED, is_dry_run=False, show=unseen
    )

    assert ([each.message_id for each in done.deleted], done.missing) == ([OLD], ["none"])


def test_reading_ends_with_the_last_message_that_was_named(world: World) -> None:
    world.add("many", 5, copies=30)
    sqs = world.system.client("sqs")
    calls: list[Any] = []

    def counted(**request: Any) -> Any:
        calls.append(request)
        return sqs.receive_message(**request)

    delete_messages(
        with_sqs(world, receive_message=counted), [OLD], InboxState.APPLIED, is_dry_run=False, show=unseen
    )

    assert len(calls) == 1


def test_message_that_sqs_does_not_delete_is_named(world: World) -> None:
    failure = {"Failed": [{"Id": "0", "SenderFault": False, "Code": "InternalError"}]}

    done = delete_messages(
        with_sqs(world, delete_message_batch=lambda **_: failure),
        [OLD],
        InboxState.APPLIED,
        is_dry_run=False,
        show=unseen,
    )

    assert (done.kept, done.deleted, done.ok) == ([OLD], [], False)
    assert len(list_dead_letters(world.stack).messages) == 4


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_body_is_out_before_its_message_is_deleted(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
) -> None:
    [body] = [each.body for each in world.system.dead_letters.messages.values() if each.id == OLD]
    shown_before: list[str] = []

    def killed(**_: Any) -> None:
        shown_before.append(capfd.readouterr().out)
        raise KilledError

    monkeypatch.setattr(commands, "chosen_stack", lambda *_: with_sqs(world, delete_message_batch=killed))

    with pytest.raises(KilledError):
        run_verb(monkeypatch, "dlq", "delete", OLD, *arguments)

    assert json.dumps(body) in shown_before[0]


def test_message_whose_body_cannot_be_shown_is_not_deleted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Output, "begin", full)

    run("delete", OLD)

    assert OLD in left(world)
    assert len(list_dead_letters(world.stack).messages) == 4
