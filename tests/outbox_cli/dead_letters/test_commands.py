"""The verbs `outbox dlq` as they are typed: lines for people, one object for programs."""

import json

import pytest

from outbox_cli.dead_letters import commands
from outbox_cli.errors import WrongUseError
from tests.outbox_cli.dead_letters.typed import fill, run
from tests.outbox_cli.dead_letters.world import World


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: world.stack)
    return world


def test_list_shows_state_time_and_event_of_each_message(world: World) -> None:
    fill(world)

    result = run("list")

    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[0] == "unapplied   2027-01-15 08:00:00Z  dead-letters-1  order-created:new"
    assert lines[3].startswith("unreadable  2027-01-15 08:00:00Z  dead-letters-4  the text is not JSON")
    assert lines[4] == "4 messages (1 applied, 1 unapplied, 1 conflicting, 1 unreadable)."


def test_list_in_json_has_every_message_and_the_counts(world: World) -> None:
    fill(world)

    answer = json.loads(run("list", "--json").stdout)

    assert answer["states"] == {"applied": 1, "unapplied": 1, "conflicting": 1, "unreadable": 1}
    assert answer["complete"] is True
    assert answer["messages"][0] == {
        "message_id": "dead-letters-1",
        "state": "unapplied",
        "event_id": "order-created:new",
        "problem": None,
        "sent_at_ms": 1_800_000_000_000,
        "receive_count": 1,
    }


def test_list_shows_bodies_when_asked_and_none_that_a_terminal_would_obey(world: World) -> None:
    world.add_refused("bell \x9b2J")

    lines, answer = run("list", "--bodies").stdout, json.loads(run("list", "--bodies", "--json").stdout)

    assert lines.splitlines()[1] == '"bell \\u009b2J"'
    assert answer["messages"][0]["body"] == "bell \x9b2J"


def test_list_of_more_bodies_than_one_answer_can_have_is_wrong_use() -> None:
    with pytest.raises(WrongUseError, match="--bodies is for 100 messages at most, not --most 101"):
        commands.list_verb(most=101, bodies=True)


def test_list_of_an_empty_queue_says_so(world: World) -> None:
    assert run("list").stdout == "The dead-letter queue is empty.\n"


def test_list_beside_another_reader_does_not_call_the_queue_empty(world: World) -> None:
    fill(world)
    world.system.dead_letters.receive(10)

    lines, answer = run("list").stdout, json.loads(run("list", "--json").stdout)

    assert lines == (
        "No dead-letter message can be seen now. 4 more are in flight with another reader; "
        "they come back within about 30 s.\n"
    )
    assert (answer["complete"], answer["hidden"]) == (False, 4)


def test_redrive_beside_another_reader_ends_with_exit_code_1_and_says_when_to_repeat(world: World) -> None:
    fill(world)
    world.system.dead_letters.receive(10)

    result = run("redrive", "--only", "unapplied", "--wait", "0")

    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        "No message to move can be received now.",
        (
            "Not inspected: 4 more are in flight with another reader; they come back within about 30 s. "
            "Repeat the command then."
        ),
    ]


def test_list_of_fewer_than_there_are_says_how_to_see_more(world: World) -> None:
    fill(world)

    result = run("list", "--most", "2")

    assert result.stdout.splitlines()[-1].endswith("There may be more: raise --most.")


def test_dry_run_says_what_would_be_moved_and_moves_nothing(world: World) -> None:
    fill(world)

    result = run("redrive", "--dry-run")

    lines = result.stdout.splitlines()
    assert lines[0] == "Would move 4 messages (1 applied, 1 unapplied, 1 conflicting, 1 unreadable)."
    assert lines[1].startswith("2 will be dead-lettered again after their deliveries: ")
    assert len(world.dead_bodies()) == 4
    assert world.queued_bodies() == []


def test_redrive_of_applied_messages_changes_nothing_and_says_so(world: World) -> None:
    fill(world)

    result = run("redrive", "--only", "applied", "--max-per-second", "500", "--wait", "0")

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "1 moved.",
        "Each event that was moved to be applied has its marker.",
    ]


def test_redrive_that_is_not_consumed_ends_with_exit_code_1_and_the_next_step(world: World) -> None:
    fill(world)

    result = run("redrive", "--only", "unapplied", "--wait", "0", "--json")

    answer = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (answer["ok"], answer["moved"]) == (False, 1)
    assert answer["not_applied"] == ["order-created:new"]


def test_redrive_of_many_says_first_how_long_it_takes(world: World) -> None:
    world.add("a", 5, applied=True, copies=61)

    result = run("redrive", "--only", "unapplied", "--max-per-second", "1")

    assert result.stderr.startswith("61 messages take about 1 min 1 s at 1 a second; raise --max-per-second")


@pytest.mark.parametrize("wrong", [("--max-per-second", "501"), ("--only", "conflicting"), ("--wait", "-1")])
def test_wrong_use_is_refused_with_exit_code_2(world: World, wrong: tuple[str, str]) -> None:
    assert run("redrive", *wrong).exit_code == 2


@pytest.mark.parametrize("verb", ["list", "redrive", "delete"])
def test_help_has_an_example(verb: str) -> None:
    assert f"outbox dlq {verb} " in run(verb, "--help").stdout
