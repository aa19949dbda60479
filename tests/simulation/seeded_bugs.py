"""Bugs that people really make, as small edits of the sources, put into the running modules for a while."""

import contextlib
import importlib
import inspect
import types
from collections.abc import Iterator
from typing import Any, NamedTuple


class SeededBug(NamedTuple):
    """An edit of one module: `old`, which occurs once in its source, becomes `new`."""

    name: str
    module: str
    old: str
    new: str


SEEDED_BUGS = (
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
        "client.transact_write_items(TransactItems=actions)",
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
        "run.client.transact_write_items(TransactItems=actions)",
        "[run.client.transact_write_items(TransactItems=[action]) for action in actions]",
    ),
    SeededBug(
        "effect first, marker after",
        "outbox.apply",
        "run.client.transact_write_items(TransactItems=actions)",
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
        "        except OutboxError as error:\n            fail(message_id, error)",
        "        except OutboxError:\n            pass",
    ),
    # The mappings and the operator.
    SeededBug(
        "failed message deleted",
        "local.event_sources.queue",
        'self._delete(record for record in records if record["messageId"] not in failed)',
        "self._delete(records)",
    ),
    SeededBug(
        "crash taken as success",
        "local.event_sources.responses",
        "    if function_error is not None:\n        return everything",
        "    if function_error is not None:\n        return frozenset()",
    ),
    SeededBug(
        "checkpoint at the highest failure",
        "local.event_sources.retry",
        "min(failed, key=int)",
        "max(failed, key=int)",
    ),
    SeededBug(
        "position behind what is only read",
        "local.event_sources.shard",
        "if firsts else self._cursor",
        "if False else self._cursor",
    ),
    SeededBug(
        "reconciliation sends nothing",
        "outbox.reconcile",
        "delivery = send(client, queue_url, call, backoff)",
        "delivery = send(client, queue_url, [], backoff)",
    ),
)


@contextlib.contextmanager
def seeded(bug: SeededBug) -> Iterator[None]:
    """Run the block with the bug in the module: every function of it gets the code of the edited source.

    Raises:
        AssertionError: The text to edit is not there exactly once, so the bug has to be written anew.
    """
    module = importlib.import_module(bug.module)
    source = inspect.getsource(module)
    assert source.count(bug.old) == 1, (
        f"{bug.name}: {bug.old!r} occurs {source.count(bug.old)} times in {bug.module}"
    )
    edited: dict[str, Any] = {"__name__": module.__name__, "__package__": module.__package__}
    exec(compile(source.replace(bug.old, bug.new), f"<{bug.name}>", "exec"), edited)  # noqa: S102 - our own source
    functions = dict(_functions(vars(module), module.__name__))
    originals = {name: function.__code__ for name, function in functions.items()}
    constants = {name: value for name, value in vars(module).items() if isinstance(value, frozenset)}
    try:
        for name, function in _functions(edited, module.__name__):
            functions[name].__code__ = function.__code__
        vars(module).update({name: edited[name] for name in constants})
        yield
    finally:
        for name, code in originals.items():
            functions[name].__code__ = code
        vars(module).update(constants)


def _functions(namespace: dict[str, Any], module_name: str) -> Iterator[tuple[str, types.FunctionType]]:
    for name, value in list(namespace.items()):
        if getattr(value, "__module__", None) != module_name:
            continue
        if isinstance(value, types.FunctionType):
            yield name, value
        elif isinstance(value, type):
            for member_name, member in vars(value).items():
                function = getattr(member, "__func__", member)
                # What dataclass generates has no source here and stays.
                if isinstance(function, types.FunctionType) and function.__code__.co_filename != "<string>":
                    yield f"{name}.{member_name}", function
