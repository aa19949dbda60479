"""Bugs of what a cancelled transaction is taken for, as small edits of the functions that judge it."""

from tests.simulation.seeding import bugs

ANSWER_BUGS = bugs(
    {
        "outbox.commit": [
            (
                "row alone means accepted before",
                "if of_state.item is None or differing(of_state.item):",
                "if of_state.item is not None and differing(of_state.item):",
            ),
            (
                "state without its row means accepted before",
                "return of_row.item is not None or EXPIRES_AT in event.extras",
                "return True",
            ),
            (
                "item that the answer does not show means refused",
                "if reason.condition_failed and reason.item is None:",
                "if False:",
            ),
        ],
        "outbox.commit_changes": [
            (
                "row of another request means accepted before",
                'return stored is not None and stored.get("request_digest") == request_digest',
                "return stored is not None",
            ),
            (
                "write refused before the row's word is heard",
                "        require_shown(reasons[-1], event)\n",
                "        judge(reasons[:-1])\n        require_shown(reasons[-1], event)\n",
            ),
        ],
        "outbox.outcome": [
            ("stored before means stored now", "                return False", "                return True"),
            ("unexplained answer means refused", 'if reason.code != "None"]', "]"),
        ],
        "outbox.cancellation": [
            ("throttled action means refused", '"ThrottlingError", ', ""),
        ],
        "outbox.intents": [
            ("turned down means marked", "reason.condition_failed for reason", "reason.is_fault for reason"),
        ],
    }
)
