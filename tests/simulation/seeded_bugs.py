"""Bugs that people really make, as small edits of the sources: of the functions here, of the rest in `seeded_rest`."""

from tests.simulation.seeded_rest import MAPPING_BUGS
from tests.simulation.seeding import bugs

HANDLER_BUGS = bugs(
    {
        "outbox.commit": [
            (
                "order without its event",
                "client, actions, event, backoff,",
                "client, actions[:1], event, backoff,",
            ),
            ("another amount means accepted before", " or differing(of_state.item):", ":"),
            (
                "retry compared with the whole entity",
                "for field in request_fields if",
                "for field in state if",
            ),
        ],
        "outbox.outcome": [
            (
                "order and event in two transactions",
                "backoff.call(client.transact_write_items, TransactItems=actions)",
                "[client.transact_write_items(TransactItems=[action]) for action in actions]",
            ),
            ("any cancellation means accepted before", "if reasons and is_proved(reasons):", "if True:"),
            (
                "unanswered command means accepted",
                "                    attempt += 1\n                    continue",
                "                    return True",
            ),
            (
                "conflict until the time is up means accepted",
                "            raise _failure(subject, error, reasons) from error",
                "            return True",
            ),
            (
                "failed condition is final while another action was turned down in passing",
                "            if any(reason.is_passing for reason in reasons):",
                (
                    "            if any(reason.condition_failed for reason in reasons):\n"
                    "                refuse(reasons)\n"
                    "            if any(reason.is_passing for reason in reasons):"
                ),
            ),
            (
                "failed condition is final beside an action that was not judged",
                "all(reason.is_judged",
                "any(reason.is_judged",
            ),
            (
                "lost answer reaches the caller raw",
                "except (BotoCoreError, ClientError) as error:",
                "except ClientError as error:",
            ),
            (
                "refusal reaches the caller raw",
                "            raise _failure(subject, error, reasons) from error",
                "            raise",
            ),
        ],
        "outbox.items": [
            ("no condition", '        "ConditionExpression": "attribute_not_exists(PK)",\n', ""),
            (
                "old item not asked for",
                '"ReturnValuesOnConditionCheckFailure": "ALL_OLD",',
                '"ReturnValuesOnConditionCheckFailure": "NONE",',
            ),
            ("marker kept under the content", "MARKER_PREFIX + event_id", "MARKER_PREFIX + digest"),
        ],
        "outbox.sending": [
            ("failed entries of a good answer unread", "elif str(i) not in sent:", "elif False:"),
            (
                "failed send means sent",
                "return Delivery(refused, Failure(unsent[0], error))",
                "return Delivery(refused, None)",
            ),
            ("checkpoint past a failed send", "Failure(unsent[0], error)", "Failure(unsent[-1], error)"),
            (
                "parked for an error that passes",
                '"InvalidMessageContents", ',
                '"InvalidMessageContents", "InternalServerError", ',
            ),
            (
                "first of the failed entries forgotten",
                "        unsent = left\n",
                "        unsent = left[1:] or left\n",
            ),
            (
                "failure behind a refused call forgotten",
                "return Delivery(refused, delivery.failure)\n    return",
                "return Delivery(refused, None)\n    return",
            ),
            (
                "entry that keeps failing means sent",
                "return Delivery(refused, Failure(left[0], NotSentError(cause)))",
                "return Delivery(refused, None)",
            ),
            ("last events of a batch forgotten", "    if group:\n        yield group", ""),
            (
                "body rewritten on the way",
                '"MessageBody": self.body}',
                '"MessageBody": self.body.replace("1000", "1001")}',
            ),
        ],
        "outbox.forward": [
            (
                "failure logged but not reported",
                "return failures([failure.event.sequence_number])",
                "return failures([])",
            ),
            (
                "goes on behind a failed send",
                "            return _report(failure)\n    return failures([])",
                "            first = _report(failure)\n    return locals().get('first') or failures([])",
            ),
            (
                "event that cannot be sent holds up the shard",
                (
                    "            log.parked(call[0].event_id, call[0].problem, function_name=function_name)\n"
                    "            continue"
                ),
                "            return _report(Failure(call[0], NotSentError(call[0].problem)))",
            ),
        ],
        "outbox.apply": [
            (
                "conflict means applied before",
                "    run.outcomes |= settled\n    rest = [event",
                (
                    '    settled = {event.identity: "DUPLICATE_IGNORED" for event in transaction.events}\n'
                    "    run.outcomes |= settled\n    rest = [event"
                ),
            ),
            (
                "unanswered transaction means applied",
                "            _after_failed_call(run, transaction, error)",
                '            run.outcomes |= {event.identity: "APPLIED" for event in transaction.events}',
            ),
            (
                "conflicting content taken as duplicate",
                'reason.item.get("digest") != event.identity.digest',
                "False",
            ),
            (
                "marker first, effect after",
                "run.backoff.call(run.client.transact_write_items, TransactItems=actions)",
                "[run.client.transact_write_items(TransactItems=[action]) for action in actions]",
            ),
            (
                "effect first, marker after",
                "run.backoff.call(run.client.transact_write_items, TransactItems=actions)",
                "[run.client.transact_write_items(TransactItems=[action]) for action in reversed(actions)]",
            ),
            (
                "conflict until the time is up means applied",
                "run.outcomes |= _not_stored(group.events, group.cause)",
                'run.outcomes |= {each.identity: "APPLIED" for each in group.events}',
            ),
            (
                "shared write refused means applied",
                "run.each_alone([event for event in rest if event.identity in shared], codes(reasons))",
                'run.outcomes |= {event.identity: "APPLIED" for event in rest if event.identity in shared}',
            ),
            (
                "request refused means applied",
                "run.each_alone(events, code)",
                'run.outcomes |= {each.identity: "APPLIED" for each in events}',
            ),
            (
                "event that needs a transaction of its own forgotten once applied is another",
                "for event in reversed(shuffled))",
                (
                    "for event in shuffled[:1])\n"
                    '        self.outcomes |= {each.identity: "APPLIED" for each in shuffled[1:]}'
                ),
            ),
            (
                "one duplicate makes duplicates of all",
                "    shortened = _without_skipped(transaction, reasons, settled)\n",
                (
                    '    if "DUPLICATE_IGNORED" in settled.values():\n'
                    '        settled = {event.identity: "DUPLICATE_IGNORED" for event in transaction.events}\n'
                    "    shortened = _without_skipped(transaction, reasons, settled)\n"
                ),
            ),
            (
                "those tried again beside a conflict mean applied",
                "    wait(rest, tries, codes(reasons))",
                '    run.outcomes |= {event.identity: "APPLIED" for event in rest}',
            ),
            (
                "those not named in a refusal mean applied",
                "        run.next(event for event in rest if event.identity not in shared)",
                '        run.outcomes |= {event.identity: "APPLIED" for event in rest if event.identity not in shared}',
            ),
            (
                "refusal of one event means applied",
                "        return _refused(event, reason.code)",
                '        return "APPLIED"',
            ),
            (
                "refused request of one event means applied",
                "run.outcomes |= {event.identity: _refused(event, str(error)) for event in events}",
                'run.outcomes |= {event.identity: "APPLIED" for event in events}',
            ),
        ],
        "outbox.transaction": [
            (
                "effect without its marker",
                "for effect in (event.marker, *event.effects):",
                "for effect in event.effects:",
            ),
            (
                "marker without its effect",
                "for effect in (event.marker, *event.effects):",
                "for effect in (event.marker,):",
            ),
            (
                "merged addition replaced by its last part",
                "changed[key] = Write(merged, owners",
                "changed[key] = Write(effect, owners",
            ),
        ],
        "outbox.events": [("digest compares too little", "digest(content)", "digest(event_id)")],
        "outbox.effects": [
            ("merged amounts overwrite each other", "amounts.get(name, 0) + amount", "amount"),
            (
                "sum of one batch forgets who was merged",
                "return _set(object.__new__(Add), key=first.key, amounts=amounts, constants=constants)",
                "return first",
            ),
        ],
        "outbox.consume": [
            ("no failure reported", "return failures(failed)", "return failures([])"),
            ("only the first failure reported", "return failures(failed)", "return failures(failed[:1])"),
            (
                "message that is no event swallowed",
                "                log.unexpected(error)\n            fail(message_id, error, _claimed_id(record))",
                "                log.unexpected(error)",
            ),
        ],
    }
)

SEEDED_BUGS = (*HANDLER_BUGS, *MAPPING_BUGS)
