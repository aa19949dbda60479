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
        "outbox.outcome",
        "backoff.call(client.transact_write_items, TransactItems=actions)",
        "[client.transact_write_items(TransactItems=[action]) for action in actions]",
    ),
    SeededBug(
        "any cancellation means accepted before",
        "outbox.outcome",
        "if reasons and is_proved(reasons):",
        "if True:",
    ),
    SeededBug("another amount means accepted before", "outbox.commit", " or differing(of_state.item):", ":"),
    SeededBug(
        "retry compared with the whole entity",
        "outbox.commit",
        "for field in request_fields if",
        "for field in state if",
    ),
    SeededBug(
        "unanswered command means accepted",
        "outbox.outcome",
        "                    attempt += 1\n                    continue",
        "                    return True",
    ),
    SeededBug(
        "conflict until the time is up means accepted",
        "outbox.outcome",
        "            raise _failure(subject, error, reasons) from error",
        "            return True",
    ),
    SeededBug(
        "failed condition is final while another action was turned down in passing",
        "outbox.outcome",
        "            if any(reason.is_passing for reason in reasons):",
        "            if any(reason.condition_failed for reason in reasons):\n                refuse(reasons)\n"
        "            if any(reason.is_passing for reason in reasons):",
    ),
    SeededBug(
        "failed condition is final beside an action that was not judged",
        "outbox.outcome",
        "all(reason.is_judged",
        "any(reason.is_judged",
    ),
    SeededBug(
        "lost answer reaches the caller raw",
        "outbox.outcome",
        "except (BotoCoreError, ClientError) as error:",
        "except ClientError as error:",
    ),
    SeededBug(
        "refusal reaches the caller raw",
        "outbox.outcome",
        "            raise _failure(subject, error, reasons) from error",
        "            raise",
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
        "    run.outcomes |= settled\n    rest = [event",
        '    settled = {event.identity: "DUPLICATE_IGNORED" for event in transaction.events}\n'
        "    run.outcomes |= settled\n    rest = [event",
    ),
    SeededBug(
        "unanswered transaction means applied",
        "outbox.apply",
        "            _after_failed_call(run, transaction, error)",
        '            run.outcomes |= {event.identity: "APPLIED" for event in transaction.events}',
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
        "run.outcomes |= _not_stored(group.events, group.cause)",
        'run.outcomes |= {each.identity: "APPLIED" for each in group.events}',
    ),
    SeededBug(
        "shared write refused means applied",
        "outbox.apply",
        "run.each_alone([event for event in rest if event.identity in shared], codes(reasons))",
        'run.outcomes |= {event.identity: "APPLIED" for event in rest if event.identity in shared}',
    ),
    SeededBug(
        "request refused means applied",
        "outbox.apply",
        "run.each_alone(events, code)",
        'run.outcomes |= {each.identity: "APPLIED" for each in events}',
    ),
    SeededBug(
        "event that needs a transaction of its own forgotten once applied is another",
        "outbox.apply",
        "for event in reversed(shuffled))",
        "for event in shuffled[:1])\n"
        '        self.outcomes |= {each.identity: "APPLIED" for each in shuffled[1:]}',
    ),
    SeededBug(
        "one duplicate makes duplicates of all",
        "outbox.apply",
        "    shortened = _without_skipped(transaction, reasons, settled)\n",
        '    if "DUPLICATE_IGNORED" in settled.values():\n'
        '        settled = {event.identity: "DUPLICATE_IGNORED" for event in transaction.events}\n'
        "    shortened = _without_skipped(transaction, reasons, settled)\n",
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
    # Batches with bad events in them.
    SeededBug(
        "those tried again beside a conflict mean applied",
        "outbox.apply",
        "    wait(rest, tries, codes(reasons))",
        '    run.outcomes |= {event.identity: "APPLIED" for event in rest}',
    ),
    SeededBug(
        "those not named in a refusal mean applied",
        "outbox.apply",
        "        run.next(event for event in rest if event.identity not in shared)",
        '        run.outcomes |= {event.identity: "APPLIED" for event in rest if event.identity not in shared}',
    ),
    SeededBug(
        "refusal of one event means applied",
        "outbox.apply",
        "        return _refused(event, reason.code)",
        '        return "APPLIED"',
    ),
    SeededBug(
        "refused request of one event means applied",
        "outbox.apply",
        "run.outcomes |= {event.identity: _refused(event, str(error)) for event in events}",
        'run.outcomes |= {event.identity: "APPLIED" for event in events}',
    ),
    SeededBug(
        "merged addition replaced by its last part",
        "outbox.transaction",
        "changed[key] = Write(merged, owners",
        "changed[key] = Write(effect, owners",
    ),
    SeededBug(
        "sum of one batch forgets who was merged",
        "outbox.effects",
        "return _set(object.__new__(Add), key=first.key, amounts=amounts, constants=constants)",
        "return first",
    ),
)

SEEDED_BUGS = (*HANDLER_BUGS, *MAPPING_BUGS)
