"""The action of every effect that can be made, alone or merged, keeps the limits that DynamoDB documents.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from outbox.effects import Add, Effect, Put, Update, action, merge
from outbox.guards import AtLeast, Below
from outbox.items import Key

EFFECTS = 4_000
ACCEPTED_LEAST, REFUSED_LEAST, MERGED_LEAST = 900, 1_000, 150
KILOBYTE = 1_024
A = Key("A", "B")


def _number(chance: random.Random) -> Decimal:
    digits = "".join(chance.choices("123456789", k=chance.choice([1, 2, 37, 38, 39])))
    exponent = chance.choice([-200, -131, -130, -100, 0, 50, 87, 88, 124, 125, 126, 300])
    return Decimal(chance.choice(["", "-"]) + digits + f"E{exponent}")


def _value(chance: random.Random, depth: int = 0) -> Any:
    if depth == 0 and chance.random() < 0.05:
        return _nested(chance.choice([30, 31, 32, 40]))
    makers: list[Callable[[], Any]] = [
        lambda: _number(chance),
        lambda: {_number(chance), _number(chance)},
        lambda: "x" * chance.choice([0, 1, 100]),
        lambda: chance.choice([None, True, b"", b"x" * 100, Decimal("Infinity"), Decimal("-NaN"), 10**38, 7]),
        lambda: chance.choice([set(), {""}, {"a", "b"}, {b"a"}, [], {}, {"": 1}]),
    ]
    if depth < 3:
        makers.append(lambda: [_value(chance, depth + 1) for _ in range(chance.randint(0, 2))])
        makers.append(lambda: {"m": _value(chance, depth + 1)})
    return chance.choice(makers)()


def _nested(levels: int) -> Any:
    value: Any = "leaf"
    for _ in range(levels):
        value = [value]
    return value


def _names(chance: random.Random) -> list[str]:
    count = chance.choice([1, 1, 2, 3, 80, 120, 200, 250, 330, 400])
    length = chance.choice([1, 1, 1, 10, 2_000])
    names = [f"n{number}".ljust(length, "-") for number in range(count)]
    return [*names, *chance.choice([[], [], [], ["x" * 65_535], ["x" * 65_536]])]


def _effect(chance: random.Random) -> Effect:
    names = _names(chance)
    few = names[: chance.choice([1, 2, 100])]
    key = Key(chance.choice(["A", "A", "é" * 1_024, "é" * 1_025]), "B")

    def guard() -> Mapping[str, Any]:
        bounds: list[Any] = [AtLeast(1), Below(10**37), None, 7, "x" * 3_000, _value(chance)]
        bound = chance.choice(bounds)
        return dict.fromkeys(chance.choice([names, few]), bound)

    match chance.randrange(4):
        case 0:
            text = "x" * chance.choice([0, 10, 5_000])
            return Add(
                key,
                {name: chance.choice([1, 10**30, 10**31]) for name in few},
                {f"c{n}": text for n in names},
            )
        case 1:
            return Add(key, dict.fromkeys(names, 1))
        case 2:
            values = {name: _value(chance) for name in names[:3]} | dict.fromkeys(names[3:], "y" * 1000)
            return Put({**key._asdict(), **values}, chance.choice([None, guard()]))
    values = {f"v{name}": "y" * chance.choice([0, 1_500]) for name in names[1:]}
    return Update(key, guard(), {"v": _value(chance), **values}, chance.choice([{}, {"n": 1}]))


def _leaves(typed: Mapping[str, Any], level: int = 1) -> Iterator[tuple[str, Any, int]]:
    [(kind, value)] = typed.items()
    yield kind, value, level
    for each in {"L": value, "M": value.values() if kind == "M" else ()}.get(kind, ()):
        yield from _leaves(each, level + 1)


def _bytes(typed: Mapping[str, Any]) -> int:
    """The documented size of a value, of numbers the least that it can be."""
    [(kind, value)] = typed.items()
    match kind:
        case "L":
            return 3 + sum(1 + _bytes(each) for each in value)
        case "M":
            return 3 + sum(1 + len(name.encode()) + _bytes(each) for name, each in value.items())
        case "S":
            return len(value.encode())
        case "B":
            return len(value)
        case "N":
            return 1
    return 1


def _broken(request: Mapping[str, Any]) -> str | None:
    """The limit that an action breaks."""
    [inner] = request.values()
    names, values = inner.get("ExpressionAttributeNames", {}), inner.get("ExpressionAttributeValues", {})
    item, changed = inner.get("Item", {}), inner.get("UpdateExpression", "")
    key = item or inner["Key"]
    stored = dict(item) or {
        names[f"#n{tag}"]: values[f":n{tag}"] for tag in range(len(names)) if f"#n{tag}" in names
    }
    stored |= {name: key[name] for name in Key._fields}
    condition = inner.get("ConditionExpression", "")
    words = condition.replace("(", " ").split()
    operators = sum(words.count(word) for word in ("=", "<", ">=", "AND", "OR", "attribute_not_exists"))
    leaves = [leaf for value in [*stored.values(), *values.values()] for leaf in _leaves(value)]
    numbers = [
        Decimal(each)
        for kind, value, _ in leaves
        if kind in ("N", "NS")
        for each in (value if kind == "NS" else [value])
    ]
    broken = {
        "expression of 4 KB": max(len(changed), len(condition)) > 4 * KILOBYTE,
        "300 operators": operators > 300,
        "2 MB of substitutions": sum(map(len, names.values())) + sum(map(_bytes, values.values()))
        > 2 * KILOBYTE**2,
        "item of 400 KB": sum(len(name.encode()) + _bytes(value) for name, value in stored.items())
        > 400 * KILOBYTE,
        "name of 64 KB": any(
            not 0 < len(name.encode()) < 64 * KILOBYTE for name in [*names.values(), *stored]
        ),
        "key": len(key["PK"]["S"].encode()) > 2_048,
        "depth": any(level > 32 for _, _, level in leaves),
        "empty set": any(kind in ("SS", "NS", "BS") and not value for kind, value, _ in leaves),
        "38 digits": any(
            len(number.normalize().as_tuple().digits) > 38 for number in numbers if number.is_finite()
        ),
        "range": any(
            not number.is_finite() or (number and not -130 <= number.adjusted() <= 125) for number in numbers
        ),
    }
    return next((limit for limit, is_broken in broken.items() if is_broken), None)


def test_action_of_every_effect_that_can_be_made_keeps_the_limits_of_dynamodb() -> None:
    chance = random.Random(14)  # noqa: S311 - repeatable
    seen: Counter[str] = Counter()
    last: Effect | None = None
    for _ in range(EFFECTS):
        try:
            made = _effect(chance)
        except (TypeError, ValueError):
            seen["refused"] += 1
            continue
        merged = merge(last, made) if last is not None and last.key == made.key else None
        for effect in [made] if merged is None else [made, merged]:
            assert _broken(action(effect, "table")) is None, str(effect)[:2_000]
        seen["accepted"] += 1
        seen["merged"] += merged is not None
        last = merged or made

    print(f"{EFFECTS} effects: {dict(seen)}")  # noqa: T201 - how far the search went
    assert seen["accepted"] >= ACCEPTED_LEAST
    assert seen["refused"] >= REFUSED_LEAST
    assert seen["merged"] >= MERGED_LEAST
