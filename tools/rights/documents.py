"""IAM documents as data: which actions one allows, and the same document without one of them."""

from typing import Any

Document = dict[str, Any]


def allowed_actions(document: Document) -> list[str]:
    """Every action that some statement allows, once each, in the order of the document."""
    return list(
        dict.fromkeys(action for statement in document["Statement"] for action in _actions(statement))
    )


def statement_of(document: Document, action: str) -> str:
    """The name of the first statement that allows an action."""
    return next(str(each["Sid"]) for each in document["Statement"] if action in _actions(each))


def without(document: Document, action: str) -> Document:
    """The document with an action left out of every statement, and statements that are left empty as well."""
    statements = [
        {**statement, "Action": kept}
        for statement in document["Statement"]
        if (kept := [each for each in _actions(statement) if each != action])
    ]
    return {**document, "Statement": statements}


def without_statements(document: Document, *sids: str) -> Document:
    """The document without the statements of these names."""
    return {**document, "Statement": [each for each in document["Statement"] if each["Sid"] not in sids]}


def _actions(statement: Document) -> list[str]:
    actions = statement["Action"]
    return [actions] if isinstance(actions, str) else list(actions)
