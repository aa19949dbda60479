"""Bugs of what a cancelled transaction is taken for, as small edits of the functions that judge it."""

from tests.simulation.seeding import SeededBug

ANSWER_BUGS = (
    SeededBug(
        "row alone means accepted before",
        "outbox.commit",
        "if of_state.item is None or differing(of_state.item):",
        "if of_state.item is not None and differing(of_state.item):",
    ),
    SeededBug(
        "state without its row means accepted before",
        "outbox.commit",
        "return of_row.item is not None or EXPIRES_AT in event.extras",
        "return True",
    ),
    SeededBug(
        "item that the answer does not show means refused",
        "outbox.commit",
        "if reason.condition_failed and reason.item is None:",
        "if False:",
    ),
    SeededBug(
        "row of another request means accepted before",
        "outbox.commit_changes",
        'return stored is not None and stored.get("request_digest") == request_digest',
        "return stored is not None",
    ),
    SeededBug(
        "write refused before the row's word is heard",
        "outbox.commit_changes",
        "        require_shown(reasons[-1], event)\n",
        "        judge(reasons[:-1])\n        require_shown(reasons[-1], event)\n",
    ),
    SeededBug(
        "stored before means stored now",
        "outbox.outcome",
        "                return False",
        "                return True",
    ),
    SeededBug("throttled action means refused", "outbox.cancellation", '"ThrottlingError", ', ""),
    SeededBug(
        "unexplained answer means refused",
        "outbox.outcome",
        'if reason.code != "None"]',
        "]",
    ),
    SeededBug(
        "turned down means marked",
        "outbox.intents",
        "reason.condition_failed for reason",
        "reason.is_fault for reason",
    ),
)
