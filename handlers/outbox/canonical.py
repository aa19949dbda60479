"""One spelling for one JSON value, a digest over it, and a parser that guesses nothing."""

import hashlib
import json
from typing import NoReturn

from outbox.errors import InvalidInputError

# DynamoDB keeps 38 significant digits.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
MAXIMUM_NUMBER_DIGITS = 38
TOO_DEEP = "the JSON is nested too deeply to be read"


def canonical_json(value: object) -> str:
    """Sorted keys, no spaces, ASCII: equal values always give equal text.

    Raises:
        InvalidInputError: The value is nested too deeply: a text is read one level deeper than it is written again.
    """
    try:
        return _ENCODER.encode(value)
    except RecursionError:
        # Not chained: its traceback has a thousand equal frames.
        raise InvalidInputError(TOO_DEEP) from None


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal; raises what `canonical_json` does."""
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()


def parse_json(text: str) -> object:
    """A JSON text's value, with whole numbers only and no name used twice in an object.

    Raises:
        InvalidInputError: The text is not such JSON; the sentence never repeats the text.
    """
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"the text is not JSON: {error}") from error
    except RecursionError:
        raise InvalidInputError(TOO_DEEP) from None
    return value


def _object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise InvalidInputError("a JSON object names the same field twice; each may occur once")
    return members


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > MAXIMUM_NUMBER_DIGITS:
        raise InvalidInputError(f"a number has more than {MAXIMUM_NUMBER_DIGITS} digits")
    return int(text)


def _refuse_number(_text: str) -> NoReturn:
    raise InvalidInputError("a number has a fraction or an exponent, or is not finite; use whole numbers")


# Made once: json.dumps and json.loads would make one for each text.
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object_of,
    parse_int=_integer,
    parse_float=_refuse_number,
    parse_constant=_refuse_number,
)
