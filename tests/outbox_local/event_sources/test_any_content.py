"""Messages, items and answers of any content: none stops a mapping, and their neighbours are delivered."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outbox_local.event_sources.events import StreamRecord, encode, queue_record, stream_record
from outbox_local.event_sources.filters import body_of, compile_body_filters, compile_filter
from tests.outbox_local.event_sources.benches import QueueBench, StreamBench
from tests.outbox_local.event_sources.fakes import QUEUE_ARN, START, STREAM_ARN, change, reported

KEYS = st.sampled_from(["a", "b"])
NUMBER_TEXTS = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,30})?", fullmatch=True)
LEAVES = [
    "x",
    5,
    None,
    True,
    *({"numeric": ["=", 5]}, {"numeric": [">", -1, "<=", 7.5]}, {"numeric": ["<", 5]}),
    *({"anything-but": 5}, {"anything-but": ["x", 5]}, {"exists": True}, {"exists": False}),
    *({"prefix": "x"}, {"suffix": "x"}, {"equals-ignore-case": "xß"}),
]
PATTERNS: st.SearchStrategy[Any] = st.recursive(
    st.lists(st.sampled_from(LEAVES), min_size=1, max_size=4),
    lambda inner: st.dictionaries(KEYS, inner, min_size=1),
)


def _containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    fields = st.dictionaries(KEYS, inner, max_size=3).map(dict.items)
    return st.lists(inner, max_size=3).map(lambda texts: f"[{','.join(texts)}]") | fields.map(
        lambda items: "{" + ",".join(f'"{name}":{text}' for name, text in items) + "}"
    )


# JSON as text, so that numbers can be such as no Python value is.
BODIES = st.recursive(
    NUMBER_TEXTS
    | st.sampled_from(["null", "true", "NaN", "-Infinity", r'"\ud800"'])
    | st.text().map(json.dumps),
    _containers,
)
ATTRIBUTES: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.fixed_dictionaries({"S": st.text()})
    | st.fixed_dictionaries({"N": NUMBER_TEXTS})
    | st.fixed_dictionaries({"B": st.binary()})
    | st.fixed_dictionaries({"BS": st.lists(st.binary())})
    | st.sampled_from([{"NULL": True}, {"BOOL": False}]),
    lambda inner: (
        st.fixed_dictionaries({"L": st.lists(inner, max_size=3)})
        | st.fixed_dictionaries({"M": st.dictionaries(KEYS, inner, max_size=3)})
    ),
)


@given(pattern=PATTERNS, text=BODIES | st.text())
def test_any_body_is_judged_by_any_pattern(pattern: Any, text: str) -> None:
    matches = compile_body_filters([json.dumps({"body": pattern})])

    assert matches(body_of(text)) in (True, False)


@given(pattern=PATTERNS, item=st.dictionaries(KEYS, ATTRIBUTES))
def test_any_item_is_judged_by_any_pattern_and_encoded(pattern: Any, item: dict[str, Any]) -> None:
    raw = change(1)
    raw["dynamodb"] |= {"NewImage": item, "ApproximateCreationDateTime": datetime.fromtimestamp(START, UTC)}
    matches = compile_filter(json.dumps({"dynamodb": {"NewImage": {"a": pattern}}}))

    event = stream_record(raw, source_arn=STREAM_ARN, region="eu-central-1")

    assert matches(event) in (True, False)
    assert json.loads(StreamRecord.of(event).encoded) == event


@given(value=st.integers() | st.floats() | st.just(10**5000) | st.lists(st.floats()), pattern=PATTERNS)
def test_any_python_value_is_judged_by_any_pattern(value: Any, pattern: Any) -> None:
    matches = compile_filter(json.dumps({"a": pattern}))

    assert matches({"a": value}) in (True, False)


@given(body=st.text(st.characters()))
def test_any_text_of_a_message_is_encoded(body: str) -> None:
    message = {"MessageId": "m", "ReceiptHandle": "h", "Body": body, "MD5OfBody": "0"}

    encoded = encode(queue_record(message, source_arn=QUEUE_ARN, region="eu-central-1"))

    assert json.loads(encoded)["body"] == body


@pytest.mark.parametrize(
    "body",
    [
        '{"a": 1e99999999999999999999}',
        '{"a": -1e-99999999999999999999}',
        "[" * 100_000,
        '{"a": NaN}',
        r'"\ud800"',
    ],
)
def test_queue_message_no_filter_can_compare_is_dropped_and_its_neighbours_are_delivered(body: str) -> None:
    bench = QueueBench('{"a": 5}', body, '{"a": 6}', filters=('{"body": {"a": [{"numeric": [">", 1]}]}}',))

    bench.poller.step()

    assert (bench.delivered, bench.left) == ([["m0", "m2"]], [])


def _deep(_: Any) -> str:
    return "[" * 100_000


@pytest.mark.parametrize("answer", [_deep, lambda _: "1" * 5_000, lambda _: "NaN", lambda _: '"\\ud800"'])
def test_stream_answer_of_any_shape_is_a_failure_and_the_shard_moves_on(answer: Callable[[Any], str]) -> None:
    bench = StreamBench(
        change(1),
        change(2),
        function=lambda numbers: answer(numbers) if 1 in numbers else reported(),
        retries=1,
    )

    delivered = bench.run(seconds=60)

    assert delivered == [[1], [1], [2]]
