"""Variables and rights for the user's own code in a function, beside those that the component gives it."""

import re
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypedDict

import pulumi

from . import statements
from .statements import Grant, Statement
from .validation import InvalidSettingError, require_list


class FunctionStatement(TypedDict):
    """One statement of rights for the function's role; it allows these actions on these resources."""

    sid: str
    """Its id: letters and digits, unique in the function's document."""
    actions: list[str]
    """The actions, such as `sns:Publish`."""
    resources: list[pulumi.Input[str]]
    """ARNs of the resources; `*` alone for actions that IAM cannot narrow."""


# The handlers read their settings from these. A variable of the same name would change a setting unchecked.
COMPONENT_VARIABLES = frozenset(
    {
        *("SOURCE_TABLE", "SOURCE_INDEX", "RECONCILE_INDEX", "OUTBOX_ROW_LIFETIME_SECONDS"),
        *("PROJECTION_TABLE", "AGGREGATE_SHARDS", "INBOX_MARKER_LIFETIME_SECONDS", "FAULT_AFTER_COMMIT"),
        *("QUEUE_URL", "QUEUE_URLS", "QUEUE_TYPES", "EVENT_TYPES", "RECONCILE_START"),
        *("RECONCILE_INTERVAL_MINUTES", "RECONCILE_MARGIN_SECONDS", "RECONCILE_HORIZON_SECONDS"),
    }
)
COMPONENT_SIDS = frozenset(each.sid for each in vars(statements).values() if isinstance(each, Grant))
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
VARIABLE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]+")
LAMBDA_PREFIXES = ("AWS_", "LAMBDA_")
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_sid.html
SID = re.compile(r"[A-Za-z0-9]+")
ACTION = re.compile(r"[a-z0-9-]+:[A-Za-z0-9*?]+")


def require_own_code(args: Mapping[str, Any]) -> None:
    """The variables and statements are such as Lambda and IAM accept, and none is the component's own.

    Raises:
        InvalidSettingError: one is not.
    """
    _require_environment(args.get("environment"))
    sids: set[str] = set()
    for given in _statements(args):
        sid = _require_statement(given)
        if sid in COMPONENT_SIDS or sid in sids:
            raise InvalidSettingError(
                f"statements has the sid {sid} twice, or it is the component's own. Give each another sid."
            )
        sids.add(sid)


def own_environment(args: Mapping[str, Any]) -> Mapping[str, pulumi.Input[str]]:
    """The variables that the user gives the function."""
    return args.get("environment") or {}


def own_statements(args: Mapping[str, Any]) -> list[Statement]:
    """The user's statements in IAM's words."""
    return [
        Grant(each["sid"], tuple(each["actions"])).on(list(each["resources"])) for each in _statements(args)
    ]


def _statements(args: Mapping[str, Any]) -> Sequence[Any]:
    return require_list("statements", args.get("statements") or [])


def _require_environment(given: object) -> None:
    if given is None:
        return
    if not isinstance(given, Mapping):
        raise InvalidSettingError(f"environment must be a dictionary of names and texts, but is {given!r}.")
    for name, value in given.items():
        if not VARIABLE_NAME.fullmatch(str(name)) or str(name).startswith(LAMBDA_PREFIXES):
            raise InvalidSettingError(
                f"environment has the name {name!r}. A name must be a letter and then letters, digits or _, and must "
                f"not begin with {' or '.join(LAMBDA_PREFIXES)}, which Lambda keeps for itself."
            )
        if name in COMPONENT_VARIABLES:
            raise InvalidSettingError(
                f"environment has {name}, which the components set themselves. Choose another name."
            )
        if not isinstance(value, str) and not isinstance(value, pulumi.Output | Awaitable):
            raise InvalidSettingError(
                f"environment has {value!r} ({type(value).__name__}) for {name}. It must be text, or an output."
            )


def _require_statement(given: Any) -> str:
    wanted = FunctionStatement.__annotations__
    if not isinstance(given, Mapping) or given.keys() != wanted.keys():
        found = ", ".join(map(str, given)) if isinstance(given, Mapping) else repr(given)
        raise InvalidSettingError(f"Each of statements must have {', '.join(wanted)}, but one has {found}.")
    sid = given["sid"]
    if not isinstance(sid, str) or not SID.fullmatch(sid):
        raise InvalidSettingError(f"The sid of a statement must be letters and digits, but is {sid!r}.")
    for field in ("actions", "resources"):
        if not require_list(f"{field} of the statement {sid}", given[field]):
            raise InvalidSettingError(f"{field} of the statement {sid} must name at least one.")
    for action in given["actions"]:
        if not isinstance(action, str) or not ACTION.fullmatch(action):
            raise InvalidSettingError(
                f"The statement {sid} has the action {action!r}. It must be a service and an action, such as "
                "sns:Publish."
            )
    for resource in given["resources"]:
        if isinstance(resource, str) and resource != "*" and not resource.startswith("arn:"):
            raise InvalidSettingError(
                f"The statement {sid} has the resource {resource!r}. It must be an ARN, an output of one, or *."
            )
    return sid
