import json
from typing import Any

import pytest

from outbox_local.event_sources import InvalidFilter, compile_filter
from outbox_local.event_sources.filters import body_of, compile_body_filters, compile_filters
from outbox_local.event_sources.values import Number, parse_json

RECORD: dict[str, Any] = {
    "eventName": "INSERT",
    "empty": "",
    "nothing": None,
    "yes": True,
    "count": 300,
    "price": 12.5,
    "none": [],
    "tags": ["red", "blue"],
    "lines": [{"sku": "a"}, {"sku": "b"}],
    "deep": [["red", [[]]], [[{"sku": ["c"]}]]],
    "street": "STRASSE",
    "huge": Number("1e99999999999999999999"),
    "large": Number("5000000001"),
    "dynamodb": {"NewImage": {"kind": {"S": "OUTBOX"}, "amount": {"N": "300"}}},
}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ({"eventName": ["INSERT"]}, True),
        ({"eventName": ["insert"]}, False),
        ({"eventName": ["MODIFY", "INSERT"]}, True),
        ({"eventName": ["INSERT"], "yes": [False]}, False),
        ({"dynamodb": {"NewImage": {"kind": {"S": ["OUTBOX"]}}}}, True),
        ({"dynamodb": {"NewImage": {"kind": {"S": ["ORDER"]}}}}, False),
        ({"dynamodb": {"OldImage": {"kind": {"S": ["OUTBOX"]}}}}, False),
        ({"eventName": {"inner": ["INSERT"]}}, False),
        ({"nothing": [None]}, True),
        ({"absent": [None]}, False),
        ({"empty": [None]}, False),
        ({"empty": [""]}, True),
        ({"nothing": [""]}, False),
        ({"yes": [True]}, True),
        ({"yes": [1]}, False),
        ({"count": [300]}, True),
        ({"count": [300.0]}, False),
        ({"count": ["300"]}, False),
        ({"dynamodb": {"NewImage": {"amount": {"N": ["300"]}}}}, True),
        ({"eventName": [{"prefix": "INS"}]}, True),
        ({"eventName": [{"prefix": "SERT"}]}, False),
        ({"count": [{"prefix": "3"}]}, False),
        ({"eventName": [{"suffix": "SERT"}]}, True),
        ({"eventName": [{"suffix": "INS"}]}, False),
        ({"eventName": [{"equals-ignore-case": "insert"}]}, True),
        ({"eventName": [{"equals-ignore-case": "inser"}]}, False),
        ({"eventName": [{"anything-but": ["MODIFY", "REMOVE"]}]}, True),
        ({"eventName": [{"anything-but": "INSERT"}]}, False),
        ({"count": [{"anything-but": [300]}]}, False),
        ({"absent": [{"anything-but": ["x"]}]}, False),
        ({"count": [{"numeric": ["=", 300.0]}]}, True),
        ({"count": [{"numeric": [">", 300]}]}, False),
        ({"price": [{"numeric": [">", 12, "<=", 12.5]}]}, True),
        ({"price": [{"numeric": [">=", 12, "<", 12.5]}]}, False),
        ({"eventName": [{"numeric": ["=", 300]}]}, False),
        ({"dynamodb": {"NewImage": {"amount": {"N": [{"numeric": ["=", 300]}]}}}}, False),
        ({"eventName": [{"exists": True}]}, True),
        ({"eventName": [{"exists": False}]}, False),
        ({"absent": [{"exists": True}]}, False),
        ({"absent": {"deeper": [{"exists": False}]}}, True),
        ({"nothing": [{"exists": True}]}, True),
        ({"dynamodb": [{"exists": True}]}, False),
        ({"none": [{"exists": False}]}, True),
        ({"tags": ["blue"]}, True),
        ({"tags": ["green"]}, False),
        ({"lines": {"sku": ["b"]}}, True),
        ({"deep": ["red"]}, True),
        ({"deep": {"sku": ["c"]}}, True),
        ({"deep": ["c"]}, False),
        ({"street": [{"equals-ignore-case": "straße"}]}, True),
        ({"street": [{"equals-ignore-case": "s.rasse"}]}, False),
        ({"huge": [{"numeric": [">", 1]}]}, False),
        ({"huge": [{"numeric": ["<=", 1]}]}, False),
        ({"huge": [{"anything-but": 1}]}, True),
        ({"large": [{"numeric": [">", 1]}]}, False),
        ({"$or": [{"eventName": ["MODIFY"]}, {"count": [300]}]}, True),
        ({"$or": [{"eventName": ["MODIFY"]}, {"count": [301]}]}, False),
        ({"yes": [False], "$or": [{"eventName": ["INSERT"]}, {"count": [300]}]}, False),
        ({"dynamodb": {"$or": [{"Keys": ["x"]}, {"NewImage": {"kind": {"S": ["OUTBOX"]}}}]}}, True),
    ],
)
def test_filter_pattern_matches_as_documented(pattern: dict[str, Any], expected: bool) -> None:
    matches = compile_filter(json.dumps(pattern))

    result = matches(RECORD)

    assert result is expected


def test_filter_number_of_a_message_body_is_compared_as_written() -> None:
    matches = compile_filter('{"body": {"price": [300.0]}}')

    results = [
        matches({"body": parse_json(text)})
        for text in ('{"price": 300.0}', '{"price": 300}', '{"price": 3e2}')
    ]

    assert results == [True, False, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "give JSON text"),
        ("", "give JSON text"),
        ({"eventName": ["INSERT"]}, "give JSON text"),
        ("{", "not valid JSON"),
        ('{"a": [NaN]}', "NaN is no JSON number"),
        ("[" * 4000, "not valid JSON"),
        ('{"a": ["' + "x" * 4096 + '"]}', "4107 characters"),
        ('["INSERT"]', "not a JSON object"),
        ("{}", "empty object"),
        ('{"dynamodb": {}}', "the pattern.dynamodb is an empty object"),
        ('{"eventName": "INSERT"}', "eventName is the string 'INSERT': give a list"),
        ('{"eventName": 1}', "eventName is a number: give a list"),
        ('{"eventName": null}', "eventName is null: give a list"),
        ('{"eventName": []}', "eventName is an empty list"),
        ('{"eventName": [["INSERT"]]}', r"eventName\[0\] is a list within a list"),
        ('{"eventName": [{}]}', "0 operators"),
        ('{"eventName": [{"prefix": "a", "suffix": "b"}]}', "2 operators"),
        ('{"eventName": [{"wildcard": "I*"}]}', "uses 'wildcard': Lambda's operators are anything-but"),
        ('{"eventName": [{"prefix": ""}]}', "string that is not empty"),
        ('{"eventName": [{"suffix": 1}]}', "is a number: give a string"),
        ('{"eventName": [{"equals-ignore-case": ["a"]}]}', "is a list: give a string"),
        ('{"eventName": [{"exists": "true"}]}', "give true or false"),
        ('{"eventName": [{"anything-but": []}]}', "give a string, a number, or a list"),
        ('{"eventName": [{"anything-but": {"prefix": "a"}}]}', "is an object: give a string"),
        ('{"eventName": [{"numeric": [">"]}]}', "give .*range"),
        ('{"eventName": [{"numeric": 3}]}', "is a number: give"),
        ('{"eventName": [{"numeric": ["!=", 3]}]}', "one of < <= > >="),
        ('{"eventName": [{"numeric": ["<", 3, ">", 1]}]}', "range such as"),
        ('{"eventName": [{"numeric": ["=", "3"]}]}', "with a number"),
        (
            '{"eventName": [{"numeric": [">", 3, "<", 1]}]}',
            "begins at 3 and ends at 1: give the lower end first",
        ),
        ('{"eventName": [{"numeric": [">=", 3, "<=", 3.0]}]}', "give the lower end first"),
        ('{"eventName": [{"numeric": ["=", 1e999999999]}]}', "within plus and minus 5,000,000,000"),
        ('{"eventName": [{"numeric": ["=", 1e99999999999999999999]}]}', "within plus and minus"),
        ('{"a":' * 200 + '["b"]' + "}" * 200, "more than 100 levels deep"),
        ('{"a":' + "[" * 4000, "not valid JSON"),
        ('{"eventName": [{"numeric": ["=", 5000000001]}]}', "within plus and minus 5,000,000,000"),
        ('{"$or": [{"a": ["b"]}]}', "at least two"),
        ('{"$or": {"a": ["b"]}}', "at least two"),
        ('{"$or": [{"a": ["b"]}, {"a": "b"}]}', r"\$or\[1\].a is the string 'b'"),
    ],
)
def test_filter_pattern_lambda_refuses_is_refused_with_its_place(text: Any, message: str) -> None:
    with pytest.raises(InvalidFilter, match=message):
        compile_filter(text)


@pytest.mark.parametrize("patterns", [['{"eventName": ["MODIFY"]}', '{"count": [300]}'], []])
def test_filters_any_of_them_lets_a_record_through_and_so_do_none(patterns: list[str]) -> None:
    assert compile_filters(patterns)(RECORD)


def test_filter_that_ignores_case_takes_a_small_letter_for_no_two_capitals() -> None:
    matches = compile_filter('{"street": [{"equals-ignore-case": "STRASSE"}]}')

    results = [matches({"street": street}) for street in ("strasse", "stra\u00dfe")]

    assert results == [True, False]


def test_filter_pattern_as_deep_as_patterns_go_matches_a_record_as_deep() -> None:
    pattern: Any = ["b"]
    record: Any = "b"
    for _ in range(98):
        pattern, record = {"a": pattern}, {"a": [record]}

    result = compile_filter(json.dumps(pattern))(record)

    assert result


@pytest.mark.parametrize(
    ("pattern", "body", "expected"),
    [
        ({"body": ["hello"]}, "hello", True),
        ({"body": ["hello"]}, "good bye", False),
        ({"body": [{"prefix": "he"}]}, "hello", True),
        ({"body": ["hello"]}, '"hello"', False),  # a JSON text, so no plain string
        ({"body": ["5"]}, "5", False),
        ({"body": [5]}, "5", False),
        ({"body": [{"exists": True}]}, "{}", False),
        ({"body": {"a": [1]}}, '{"a": 1}', True),
        ({"body": {"a": [1]}}, '[{"a": 2}, [{"a": 1}]]', True),
        ({"body": {"a": [1]}}, "5", False),
        ({"body": {"a": [{"exists": False}]}}, '{"b": 1}', True),
        ({"body": {"a": [{"exists": False}]}}, "hello", False),
        ({"body": {"a": [{"exists": False}]}}, "[" * 100_000, False),
        ({"$or": [{"body": ["hello"]}, {"body": {"a": [1]}}]}, '{"a": 1}', True),
    ],
)
def test_filter_of_a_body_matches_the_kind_of_body_it_is_written_for(
    pattern: dict[str, Any], body: str, expected: bool
) -> None:
    matches = compile_body_filters([json.dumps(pattern)])

    result = matches(body_of(body))

    assert result is expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ('{"attributes": {"SenderId": ["a"]}}', "pattern.attributes is no part of a message's body"),
        ('{"body": ["a"], "messageId": ["b"]}', "filtered by `body` alone"),
        ('{"$or": [{"body": ["a"]}, {"messageId": ["b"]}]}', r"\$or\[1\].messageId is no part"),
    ],
)
def test_filter_of_a_queue_by_anything_but_the_body_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(InvalidFilter, match=message):
        compile_body_filters([pattern])
