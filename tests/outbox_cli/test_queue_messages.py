"""Messages in flight during an inspection: each is seen once, deleted by its own id, or released."""

from typing import Any

from outbox_cli.dead_letters.messages import list_dead_letters
from outbox_cli.queue_messages import NONE_IN_FLIGHT, InFlight, reading
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import QueueCounts
from tests.outbox_cli.dead_letters.world import World, with_sqs

FAILURE: dict[str, Any] = {"SenderFault": False, "Code": "InternalError"}


def dead_letters(stack: Stack) -> str:
    return stack["dead_letter_queue_url"]


def filled(copies: int) -> World:
    world = World()
    world.add("a", 5, copies=copies)
    return world


def test_message_that_comes_back_while_the_rest_is_read_is_met_once() -> None:
    world = filled(25)
    met: list[str] = []

    with reading(world.stack, dead_letters(world.stack)) as found:
        for message in found:
            met.append(message["MessageId"])
            if len(met) == 10:
                world.system.clock.wait(60)

    assert len(met) == len(set(met)) == 25


def test_message_that_is_not_deleted_is_named_by_its_id_in_whichever_call_it_was() -> None:
    world = filled(12)
    sqs = world.system.client("sqs")

    def all_but_the_last(**request: Any) -> Any:
        *entries, unlucky = request["Entries"]
        answer = sqs.delete_message_batch(**{**request, "Entries": entries}) if entries else {}
        return {**answer, "Failed": [{"Id": unlucky["Id"], **FAILURE}]}

    stack = with_sqs(world, delete_message_batch=all_but_the_last)
    with reading(stack, dead_letters(stack)) as found:
        ids = [each["MessageId"] for each in found]
        kept = found.delete(ids)

    assert kept == {ids[9], ids[11]}
    assert set(world.system.dead_letters.messages) == kept
    assert len(list_dead_letters(world.stack).messages) == 2


def test_message_that_sqs_does_not_give_back_at_first_is_given_back_by_another_try() -> None:
    world = filled(3)
    sqs = world.system.client("sqs")
    sizes: list[int] = []

    def fails_once(**request: Any) -> Any:
        first, *rest = request["Entries"]
        sizes.append(len(request["Entries"]))
        if len(sizes) > 1:
            return sqs.change_message_visibility_batch(**request)
        answer = sqs.change_message_visibility_batch(**{**request, "Entries": rest})
        return {**answer, "Failed": [{"Id": first["Id"], **FAILURE}]}

    list_dead_letters(with_sqs(world, change_message_visibility_batch=fails_once))

    assert sizes == [3, 1]
    assert len(list_dead_letters(world.stack).messages) == 3


def test_message_that_was_deleted_is_not_given_back() -> None:
    world = filled(2)
    sqs = world.system.client("sqs")
    given_back: list[str] = []

    def noted(**request: Any) -> Any:
        given_back.extend(each["ReceiptHandle"] for each in request["Entries"])
        return sqs.change_message_visibility_batch(**request)

    stack = with_sqs(world, change_message_visibility_batch=noted)
    with reading(stack, dead_letters(stack)) as found:
        first, second = list(found)
        found.delete([first["MessageId"]])

    assert given_back == [second["ReceiptHandle"]]


def test_message_in_flight_before_that_was_seen_after_all_is_not_hidden() -> None:
    before = QueueCounts(available=2, in_flight=3)

    hidden = [InFlight.from_all_but(seen, before) for seen in (2, 4, 5, 6)]

    assert [each.count for each in hidden] == [3, 1, 0, 0]
    assert hidden[-1] == NONE_IN_FLIGHT
