"""Bugs that people really make, as small edits of the sources: of the functions here, of the rest in `seeded_rest`."""

from tests.simulation.seeded_rest import MAPPING_BUGS
from tests.simulation.seeding import SeededBug

HANDLER_BUGS = (
    # The command.
    SeededBug(
        "order without its event",
        "outbox.commit",
        "client, actions, event, backoff,",
        "client, actions[:1], event, backoff,",
    ),
    SeededBug(
        "order and event in two transactions",
        "outbox.commit",
        "backoff.call(client.transact_write_items, TransactItems=actions)",
        "[client.transact_write_items(TransactItems=[action]) for action in actions]",
    ),
    SeededBug(
        "any cancellation means accepted before",
        "outbox.commit",
        "if is_accepted(reasons):",
        "if True:",
    ),
    SeededBug(
        "another amount means accepted before", "outbox.commit", "        if differing:", "        if False:"
    ),
    SeededBug(
        "retry compared with the whole entity",
        "outbox.commit",
        "for field in request_fields if",
        "for field in state if",
    ),
    SeededBug(
        "unanswered command means accepted",
        "outbox.commit",
        "            attempt += 1",
        '            return _answer("ACCEPTED", event)',
    ),
    SeededBug(
        "conflict until the time is up means accepted",
        "outbox.commit",
        "            if not backoff.pause(attempt):\n                raise",
        "            if not backoff.pause(attempt):\n"
        '                return _answer("ACCEPTED", event)\n                raise',
    ),
    SeededBug(
        "no condition", "outbox.items", '        "ConditionExpression": "attribute_not_exists(PK)",\n', ""
    ),
    # The relay.
    SeededBug(
        "failed entries of a good answer unread", "outbox.sending", "elif str(i) not in sent:", "elif False:"
    ),
    SeededBug(
        "failed send means sent",
        "outbox.sending",
        "return Delivery(refused, Failure(unsent[0], error))",
        "return Delivery(refused, None)",
    ),
    SeededBug(
        "checkpoint past a failed send",
        "outbox.sending",
        "Failure(unsent[0], error)",
        "Failure(unsent[-1], error)",
    ),
    SeededBug(
        "failure logged but not reported",
        "outbox.forward",
        "return failures([failure.event.sequence_number])",
        "return failures([])",
    ),
    SeededBug(
        "goes on behind a failed send",
        "outbox.forward",
        "            return _report(failure)\n    return failures([])",
        "            first = _report(failure)\n    return locals().get('first') or failures([])",
    ),
    SeededBug(
        "event that cannot be sent holds up the shard",
        "outbox.forward",
        "            log.parked(call[0].event_id, call[0].problem, function_name=function_name)\n            continue",
        "            return _report(Failure(call[0], NotSentError(call[0].problem)))",
    ),
    SeededBug(
        "parked for an error that passes",
        "outbox.sending",
        '"InvalidMessageContents", ',
        '"InvalidMessageContents", "InternalServerError", ',
    ),
    SeededBug(
        "first of the failed entries forgotten",
        "outbox.sending",
        "        unsent = left\n",
        "        unsent = left[1:] or left\n",
    ),
    SeededBug(
        "failure behind a refused call forgotten",
        "outbox.sending",
        "return Delivery(refused, delivery.failure)\n    return",
        "return Delivery(refused, None)\n    return",
    ),
    SeededBug(
        "entry that keeps failing means sent",
        "outbox.sending",
        "return Delivery(refused, Failure(left[0], NotSentError(cause)))",
        "return Delivery(refused, None)",
    ),
    SeededBug("last events of a batch forgotten", "outbox.sending", "    if group:\n        yield group", ""),
    SeededBug(
        "body rewritten on the way",
        "outbox.sending",
        '"MessageBody": event.body}',
        '"MessageBody": event.body.replace("1000", "1001")}',
    ),
    # The consumer.
    SeededBug(
        "conflict means applied before",
        "outbox.apply",
        "settled = given_up | _settled(transaction, reasons)",
        'settled = {event.identity: "DUPLICATE_IGNORED" for event in transaction.events}',
    ),
    SeededBug(
        "unanswered transaction means applied",
        "outbox.apply",
        "return _after_failed_call(run, transaction, error), []",
        'return {event.identity: "APPLIED" for event in transaction.events}, []',
    ),
    SeededBug(
        "conflicting content taken as duplicate",
        "outbox.apply",
        'reason.item.get("digest") != event.identity.digest',
        "False",
    ),
    SeededBug(
        "marker first, effect after",
        "outbox.apply",
        "run.backoff.call(run.client.transact_write_items, TransactItems=actions)",
        "[run.client.transact_write_items(TransactItems=[action]) for action in actions]",
    ),
    SeededBug(
        "effect first, marker after",
        "outbox.apply",
        "run.backoff.call(run.client.transact_write_items, TransactItems=actions)",
        "[run.client.transact_write_items(TransactItems=[action]) for action in reversed(actions)]",
    ),
    SeededBug(
        "old item not asked for",
        "outbox.items",
        '"ReturnValuesOnConditionCheckFailure": "ALL_OLD",',
        '"ReturnValuesOnConditionCheckFailure": "NONE",',
    ),
    SeededBug(
        "effect without its marker",
        "outbox.transaction",
        "for effect in (event.marker, *event.effects):",
        "for effect in event.effects:",
    ),
    SeededBug(
        "marker without its effect",
        "outbox.transaction",
        "for effect in (event.marker, *event.effects):",
        "for effect in (event.marker,):",
    ),
    SeededBug(
        "marker kept under the content", "outbox.items", "MARKER_PREFIX + event_id", "MARKER_PREFIX + digest"
    ),
    SeededBug("digest compares too little", "outbox.transaction", "digest(content)", "digest(event_id)"),
    SeededBug(
        "merged amounts overwrite each other",
        "outbox.effects",
        "amounts.get(name, 0) + amount",
        "amount",
    ),
    SeededBug(
        "conflict until the time is up means applied",
        "outbox.apply",
        "return settled | _not_stored(rest, codes(reasons)), []",
        'return settled | {each.identity: "APPLIED" for each in rest}, []',
    ),
    SeededBug(
        "shared write refused means applied",
        "outbox.apply",
        "return settled | _by_halves(run, rest), []",
        'return settled | {each.identity: "APPLIED" for each in rest}, []',
    ),
    SeededBug(
        "request refused means applied",
        "outbox.apply",
        "return _by_halves(run, transaction.events)",
        'return {each.identity: "APPLIED" for each in transaction.events}',
    ),
    SeededBug(
        "no time for a half means applied",
        "outbox.apply",
        "return outcomes | _not_stored(waiting, _TIME_IS_UP)",
        'return outcomes | {each.identity: "APPLIED" for each in waiting}',
    ),
    SeededBug(
        "one duplicate makes duplicates of all",
        "outbox.apply",
        "    settled = given_up | _settled(transaction, reasons)\n",
        "    settled = given_up | _settled(transaction, reasons)\n"
        '    if "DUPLICATE_IGNORED" in settled.values():\n'
        '        settled = {event.identity: "DUPLICATE_IGNORED" for event in transaction.events}\n',
    ),
    SeededBug("no failure reported", "outbox.consume", "return failures(failed)", "return failures([])"),
    SeededBug(
        "only the first failure reported",
        "outbox.consume",
        "return failures(failed)",
        "return failures(failed[:1])",
    ),
    SeededBug(
        "message that is no event swallowed",
        "outbox.consume",
        "                log.unexpected(error)\n            fail(message_id, error, _claimed_id(record))",
        "                log.unexpected(error)",
    ),
)

SEEDED_BUGS = (*HANDLER_BUGS, *MAPPING_BUGS)
