"""No invocation ends late: what may start, asked before every call and before every attempt of one."""

import itertools
import math
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse, HTTPHeaders
from botocore.exceptions import ClientError
from botocore.httpsession import URLLib3Session
from botocore.retries.standard import ExponentialBackoff

from outbox import retry
from outbox.clients import CONFIG, dynamodb_client, sqs_client
from outbox.errors import NotReadError, NotSentError, NotStoredError, OutOfTimeError
from outbox.retry import RESERVE_SECONDS, Backoff
from tests.handlers.support import FUNCTION_TIMEOUT_SECONDS, inserts, relay
from tests.handlers.worst_courses import (
    ATTEMPT_SECONDS,
    COURSES,
    HANDLERS,
    QUICK_SECONDS,
    SDK_PAUSE_SECONDS,
    STARTS,
    Course,
    Service,
    play,
    search,
)

INVOCATIONS_LEAST = {2: 13_000, 3: 90_000}
"""By how many attempts each take every course."""
QUICK = Course(QUICK_SECONDS)


@pytest.fixture(scope="module", autouse=True)
def aws() -> Iterator[None]:
    """Credentials alone: nothing here reaches a mock of AWS."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ACCESS_KEY_ID", "testing")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        environment.setenv("AWS_DEFAULT_REGION", "eu-west-3")
        yield


@pytest.mark.parametrize("attempts", [2, pytest.param(3, marks=pytest.mark.thorough)])
def test_no_invocation_ends_late_or_answers_what_it_did_not_do(
    capsys: pytest.CaptureFixture[str], attempts: int
) -> None:
    played = search(attempts=attempts)

    capsys.readouterr()
    with capsys.disabled():
        print(f"\n{played} invocations of {len(HANDLERS)} handlers, each attempt at its slowest")  # noqa: T201 - asked for
    assert played >= INVOCATIONS_LEAST[attempts]


@pytest.mark.parametrize("name", HANDLERS)
def test_call_at_the_start_of_the_shortest_function_is_made(name: str) -> None:
    quick = play(HANDLERS[name], FUNCTION_TIMEOUT_SECONDS, [QUICK] * 100)

    assert quick.starts[0] == FUNCTION_TIMEOUT_SECONDS
    assert quick.stored


def test_relay_whose_first_queue_answers_late_does_not_start_the_second() -> None:
    service = Service(FUNCTION_TIMEOUT_SECONDS, iter([Course(5.3), *[QUICK] * 2]))
    urls = ["one", "two", "three"]

    reported = relay(service, urls, inserts("b1"), service)  # type: ignore[arg-type] # it is the clock, too

    assert (reported, service.stored) == (["101"], {"one b1"})


class Sdk:
    """The real SDK over a network on the virtual clock."""

    def __init__(self, seconds: float, courses: Iterator[Course]) -> None:
        self.left = seconds
        self.starts: list[float] = []
        self._courses = courses

    def send(self, request: Any) -> AWSResponse:
        """One attempt, as the SDK's own session makes it."""
        self.starts.append(self.left)
        course = next(self._courses)
        self.left -= course.seconds
        if course.error is None:
            return _response(request.url, 200, b"{}")
        if not isinstance(course.error, ClientError):
            raise course.error
        code = course.error.response["Error"]["Code"]
        return _response(request.url, 400, b'{"__type": "x#%s"}' % code.encode())

    def sleep(self, seconds: float) -> None:
        self.left -= seconds


def _response(url: str, status: int, body: bytes) -> AWSResponse:
    raw: Any = SimpleNamespace(stream=lambda: [body])
    return AWSResponse(url, status, HTTPHeaders(), raw)


def _outcome(world: Any, operation: Callable[..., object]) -> Any:
    """The starts of a call's attempts, the time left, and what was raised."""
    raised = ""
    try:
        Backoff(lambda: world.left).call(operation, TransactItems=[])
    except Exception as error:  # noqa: BLE001 - compared by its name
        raised = "ClientError" if isinstance(error, ClientError) else type(error).__name__
    return world.starts, pytest.approx(world.left), raised


def test_service_of_the_search_takes_the_courses_of_the_real_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    client = dynamodb_client()
    delay_amount = ExponentialBackoff.delay_amount

    def longest(self: Any, context: Any) -> float:
        self._random = lambda: 1.0
        return float(delay_amount(self, context))

    monkeypatch.setattr(ExponentialBackoff, "delay_amount", longest)
    monkeypatch.setattr("botocore.retries.quota.RetryQuota.acquire", lambda *_: True)
    for seconds, first in itertools.product((6.4, 7.5, 7.6, 8.5, 10.0, 13.9, 14.6, 30.0), COURSES):
        sdk = Sdk(seconds, itertools.chain([first], itertools.repeat(COURSES[1])))
        service = Service(seconds, itertools.chain([first], itertools.repeat(COURSES[1])))
        # An attribute of the class that is no function is given no session.
        monkeypatch.setattr(URLLib3Session, "send", sdk.send)
        monkeypatch.setattr("botocore.endpoint.time", sdk)

        real, played = (
            _outcome(sdk, client.transact_write_items),
            _outcome(service, service.transact_write_items),
        )

        assert real == played, f"{first} from {seconds} s"


@pytest.mark.parametrize("make_client", [dynamodb_client, sqs_client])
def test_reserve_is_that_of_the_clients_as_they_are_made(make_client: Callable[[], Any]) -> None:
    config = make_client().meta.config

    assert (config.connect_timeout, config.read_timeout, config.retries) == (
        CONFIG.connect_timeout,
        CONFIG.read_timeout,
        {"mode": "standard", "total_max_attempts": 2},
    )
    assert retry.attempt_seconds(config) == ATTEMPT_SECONDS
    assert retry.sdk_pause_seconds(config) == SDK_PAUSE_SECONDS
    assert RESERVE_SECONDS == ATTEMPT_SECONDS + SDK_PAUSE_SECONDS + retry.ANSWER_SECONDS


def test_call_without_time_is_not_made_and_says_so_to_whoever_stores_sends_or_reads() -> None:
    made: list[int] = []

    with pytest.raises(
        OutOfTimeError, match=r"the time is used up: another call could take 7.5 s; try again, or"
    ) as caught:
        Backoff(lambda: 7.4).call(made.append, 1)

    assert not made
    assert isinstance(caught.value, NotStoredError | NotSentError)
    assert isinstance(caught.value, NotReadError)


def test_pause_of_any_attempt_ends_before_the_time_does() -> None:
    attempts = [*range(70), 1_000, 1_023, 1_024, 1_025, 10**4, 10**5, 10**6]
    times = [-math.inf, -(10.0**300), -1.0, -1e-300, 0.0, 5e-324, RESERVE_SECONDS, *STARTS, 1e300, math.inf]
    slept: list[float] = []

    for attempt, seconds, drawn in itertools.product(attempts, times, (0.0, 0.5, 1.0)):
        slept.clear()
        did = Backoff(lambda left=seconds: left, slept.append, lambda drawn=drawn: drawn).pause(attempt)  # type: ignore[misc]
        assert did == bool(slept)
        assert all(0 <= each <= 1 and each <= seconds - RESERVE_SECONDS for each in slept)


@pytest.mark.parametrize("milliseconds", [-(10**9), -1, 0, 7_499])
def test_invocation_whose_time_is_over_has_no_time_for_a_call_or_a_pause(milliseconds: int) -> None:
    context: Any = SimpleNamespace(get_remaining_time_in_millis=lambda: milliseconds)
    backoff = Backoff.within(context)

    assert not backoff.has_time()
    assert not backoff.pause(0)


def test_backoff_outside_lambda_lets_calls_start_for_its_time() -> None:
    assert Backoff.lasting(60).has_time()
    assert Backoff.lasting(1).has_time()
    assert not Backoff.lasting(0).has_time()
