"""One run of a function, advanced one AWS call at a time, so that others can come between any two calls.

A function is a deterministic answer to its event and the replies it gets. Instead of a thread that waits,
a run therefore keeps its replies: to advance it, the function runs again from the start, is given the replies
it had, and is left at the first call that has none yet. A run is plain data that way, and can be copied.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tools.simulation.faults import Fault, perform
from tools.simulation.functions import answer_of

SECONDS_A_CALL = 0.1


@dataclass(frozen=True)
class Reply:
    """Result of one call: an answer or an error."""

    answer: Any = None
    error: Exception | None = None

    def give(self) -> Any:
        """Return the answer or raise the error."""
        if self.error is not None:
            raise self.error.with_traceback(None)
        return self.answer


@dataclass(frozen=True)
class PendingCall:
    """The call a run has come to."""

    service: str
    operation: str
    request: dict[str, Any]


class _Left(BaseException):
    """Leaves a function at a call without a reply; no `except Exception` of the function sees it."""

    def __init__(self, call: PendingCall) -> None:
        super().__init__()
        self.call = call


@dataclass(frozen=True)
class Result:
    """How a run ended: the payload Lambda would answer, and its function error."""

    payload: bytes
    function_error: str | None = None


class Surroundings:
    """World of a function during one run: recorded clients, and time that calls and pauses use up."""

    def __init__(self, replies: list[Reply], timeout_seconds: float, chance: float) -> None:
        self._replies = iter(replies)
        self._left = timeout_seconds
        self._chance = chance

    def client(self, service: str) -> "_Recorded":
        """A client whose calls are answered from the record."""
        return _Recorded(self, service)

    def remaining_seconds(self) -> float:
        """Time until the function's timeout."""
        return self._left

    def sleep(self, seconds: float) -> None:
        """Use up time."""
        self._left -= seconds

    def random(self) -> float:
        """The same each time, as the run has to take the same way each time."""
        return self._chance

    def answer(self, call: PendingCall) -> Any:
        """The recorded reply, or the end of this run for now."""
        reply = next(self._replies, None)
        if reply is None:
            raise _Left(call)
        self._left -= SECONDS_A_CALL
        return reply.give()


class _Recorded:
    """Any method of a client, as a call that is answered from the record."""

    def __init__(self, surroundings: Surroundings, service: str) -> None:
        self._surroundings = surroundings
        self._service = service

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        return lambda **request: self._surroundings.answer(PendingCall(self._service, operation, request))


Handler = Callable[[Any, Surroundings], Any]


class Invocation:
    """A function on its way through one event.

    Args:
        handler: The function; it takes its clients and its time from the surroundings alone.
        event: What it is invoked with; nobody changes it.
        make_client: The clients its calls are made with in the end.
        timeout_seconds: The function's.
        chance: Value of the random source for this run, from 0 to 1.
    """

    def __init__(
        self,
        handler: Handler,
        event: Any,
        make_client: Callable[[str], Any],
        timeout_seconds: float,
        chance: float = 0.5,
    ) -> None:
        self.event = event
        self.replies: list[Reply] = []
        self.pending: PendingCall | None = None
        self.result: Result | None = None
        self._handler = handler
        self._make_client = make_client
        self._timeout_seconds = timeout_seconds
        self._chance = chance
        self._run()

    def advance(self, fault: Fault = Fault.NONE, entries: int = 0) -> None:
        """Make the pending call under a fault, and run on to the next one or to the end."""
        self.replies.append(self._perform(fault, entries))
        self._run()

    def kill(self, *, after_call: bool) -> None:
        """End the run at its pending call, as a crash or the timeout does: before it was made, or after."""
        if after_call:
            self._perform(Fault.NONE, 0)
        self.pending = None
        self.result = Result(b'{"errorMessage": "Task timed out"}', "Unhandled")

    def _perform(self, fault: Fault, entries: int) -> Reply:
        if self.pending is None:
            raise ValueError("this run has ended: it makes no more calls")
        call = getattr(self._make_client(self.pending.service), self.pending.operation)
        try:
            return Reply(perform(self.pending.operation, call, self.pending.request, fault, entries))
        except Exception as error:  # noqa: BLE001 - an error is a reply too
            return Reply(error=error)

    def _run(self) -> None:
        surroundings = Surroundings(self.replies, self._timeout_seconds, self._chance)
        try:
            payload, function_error = answer_of(lambda event: self._handler(event, surroundings), self.event)
        except _Left as left:
            self.pending = left.call
        else:
            self.pending, self.result = None, Result(payload, function_error)
