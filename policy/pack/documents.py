"""IAM policy documents in every shape that AWS and Pulumi accept, read into statements.

A document may be text, text within text, or an object; a statement, an action or a resource may stand alone
or in a list; element names, effects and actions are compared without regard to case, on the safe side.
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pack.values import UNKNOWN, Unknown, as_list

DOCUMENT_MAXIMUM_CHARACTERS = 10_240
"""All inline policies of a role together, without white space; a managed policy takes less.
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html"""

SID = re.compile(r"[A-Za-z0-9]{1,64}")
ACTION = re.compile(r"[A-Za-z0-9-]+:[A-Za-z0-9*?]+|[*?]+")
INVERTED_ELEMENTS = ("notaction", "notresource", "notprincipal")

Text = str | Unknown


class DocumentError(ValueError):
    """Raised when a document cannot be read; the message says why, and never quotes it."""


@dataclass(frozen=True)
class Statement:
    """One statement: `label` names it, `inverted` lists elements such as NotAction, which allow all the rest."""

    label: str
    allows: bool
    actions: tuple[Text, ...]
    resources: tuple[Text, ...]
    condition: Any
    principal: Any
    inverted: tuple[str, ...]


def read_document(value: Any) -> list[Statement]:
    """The statements of a document, given as text or as an object.

    Raises:
        DocumentError: absent, empty, too large, not JSON, or not shaped as a policy document.
    """
    document = _parsed(value)
    if not isinstance(document, dict):
        raise DocumentError("it is not a JSON object")
    statements = as_list(_lowered(document).get("statement"))
    if not statements:
        raise DocumentError("it has no Statement")
    return [_statement(number, found) for number, found in enumerate(statements, start=1)]


def same_condition(one: Any, other: Any) -> bool:
    """Whether two conditions ask the same; an unknown value may be the same as any."""
    left, right = _normal_condition(one), _normal_condition(other)
    return left.keys() == right.keys() and all(
        values == right[key] or UNKNOWN in values or UNKNOWN in right[key] for key, values in left.items()
    )


def show_actions(actions: Iterable[Text], most: int = 8) -> str:
    """Actions for a message: only what looks like one, and not more than a reader takes in."""
    shown = sorted({action for action in actions if isinstance(action, str) and ACTION.fullmatch(action)})
    rest = f" and {len(shown) - most} more" if len(shown) > most else ""
    return (", ".join(shown[:most]) or "something that is no action") + rest


def _parsed(value: Any) -> Any:
    if value is None or value == "":
        raise DocumentError("it is absent or empty")
    try:
        if not isinstance(value, str):
            _refuse_size(json.dumps(value, default=str))
            return value
        _refuse_size(value)
        text = unquote(value) if value.lstrip().lower().startswith("%7b") else value
        parsed = json.loads(text, object_pairs_hook=_without_duplicates)
        return (
            json.loads(parsed, object_pairs_hook=_without_duplicates) if isinstance(parsed, str) else parsed
        )
    except json.JSONDecodeError as error:
        raise DocumentError(f"it is not JSON (line {error.lineno}, column {error.colno})") from None
    except DocumentError:
        raise
    except RecursionError:
        raise DocumentError("it is nested too deeply to be a policy") from None
    except ValueError:
        raise DocumentError("it has a number with more digits than can be read") from None


def _refuse_size(text: str) -> None:
    size = len("".join(text.split()))
    if size > DOCUMENT_MAXIMUM_CHARACTERS:
        raise DocumentError(f"it has {size} characters, and IAM takes {DOCUMENT_MAXIMUM_CHARACTERS} at most")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key.lower() for key, _ in pairs}) < len(pairs):
        raise DocumentError("an element stands twice in one object, so readers differ about what it says")
    return dict(pairs)


def _lowered(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key.lower(): value for key, value in mapping.items()}


def _statement(number: int, found: Any) -> Statement:
    if not isinstance(found, dict):
        raise DocumentError(f"statement {number} is not an object")
    elements = _lowered(found)
    sid = elements.get("sid")
    label = sid if isinstance(sid, str) and SID.fullmatch(sid) else f"statement {number}"
    effect = elements.get("effect")
    if not isinstance(effect, str) or effect.lower() not in {"allow", "deny"}:
        raise DocumentError(f"{label} has no Effect of Allow or Deny")
    inverted = tuple(element for element in INVERTED_ELEMENTS if element in elements)
    if "action" not in elements and "notaction" not in inverted:
        raise DocumentError(f"{label} has no Action")
    condition = elements.get("condition")
    if not (condition is None or condition is UNKNOWN or isinstance(condition, dict)):
        raise DocumentError(f"{label} has a Condition that is not an object")
    return Statement(
        label=label,
        allows=effect.lower() == "allow",
        actions=_texts(label, "Action", elements.get("action")),
        resources=_texts(label, "Resource", elements.get("resource")),
        condition=condition,
        principal=elements.get("principal"),
        inverted=inverted,
    )


def _texts(label: str, element: str, value: Any) -> tuple[Text, ...]:
    values = as_list(value)
    if value is not None and (
        not values or not all(found is UNKNOWN or (isinstance(found, str) and found) for found in values)
    ):
        raise DocumentError(f"{label} has an {element} that is neither text nor a list of texts")
    return tuple(values)


def _normal_condition(condition: Any) -> dict[tuple[str, str], list[Any]]:
    """Operator and key, both without case, to their values in order."""
    if condition is UNKNOWN:
        return {("unknown", ""): [UNKNOWN]}
    normal = {}
    for operator, keys in (condition or {}).items():
        for key, value in keys.items() if isinstance(keys, dict) else [("", keys)]:
            normal[operator.lower(), key.lower()] = sorted(as_list(value), key=str)
    return normal
