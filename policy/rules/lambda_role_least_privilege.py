"""Each function's role holds exactly the rights of its contract: more is a violation, less is one too.

At a first preview no ARN is known, and so no document. What is known is judged all the same: the actions that
the component declares, and which resources each document is made from.
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from contract import CONTRACTS, LIST_STREAMS, POLL_QUEUE, READ_STREAM, Contract, Place, Right
from pack.comparison import beyond, declared_problems, few, missing, references
from pack.documents import DocumentError, Statement, read_document
from pack.expectations import ContractError, expectations
from pack.mappings import reads_stream
from pack.resources import FUNCTION, Config, Finding, Resource, Verdicts
from pack.roles import Held, attached_policies, held_documents
from pack.rule import stack_rule
from pack.stack import Stack, mappings_of, purpose_of, roles_of
from pack.values import UNKNOWN, has_unknown

FIX = (
    "Change the role's statements; or, if the right is meant, the contract (policy/contract.py, or this rule's "
    "configuration: `additions` for a function of your own code) in the same pull request."
)
RIGHT_SCHEMA = {
    "type": "object",
    "required": ["sid", "actions", "place"],
    "additionalProperties": False,
    "properties": {
        "sid": {"type": "string"},
        "actions": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "place": {"type": "string", "enum": [place.value for place in Place]},
        "variables": {"type": "array", "items": {"type": "string"}},
        "resources": {"type": "array", "items": {"type": "string"}},
    },
}
RIGHTS_BY_NAME = {
    "type": "object",
    "additionalProperties": {"type": "array", "items": RIGHT_SCHEMA},
    "default": {},
}


@stack_rule(
    name="lambda-role-least-privilege",
    description="Each function's role allows exactly what the reviewed contract of its purpose says.",
    remediation=FIX,
    options={
        "contracts": {
            **RIGHTS_BY_NAME,
            "description": "Further contracts: purpose to rights, in the words of policy/contract.py.",
        },
        "additions": {
            **RIGHTS_BY_NAME,
            "description": "Rights for users' own code, beside a contract's: function name to rights.",
        },
        "purposes": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "default": {},
            "description": "Function name (* and ? allowed) to purpose, for functions that declare none.",
        },
    },
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge each function by the contract of its purpose, and one without by what its mappings need."""
    contracts = CONTRACTS | {
        purpose: Contract(tuple(map(_right, rights))) for purpose, rights in config["contracts"].items()
    }
    for function in stack.of(FUNCTION):
        declared = purpose_of(stack, function)
        purpose = declared or _given_purpose(function, config["purposes"])
        if purpose is UNKNOWN:
            yield function.pending("purpose")
        elif purpose and purpose not in contracts:
            yield _finding(function, purpose, ["no contract has this purpose"])
        elif not (roles := roles_of(stack, function)):
            yield _finding(
                function, purpose, ["its role is not in this stack, so its rights cannot be reviewed"]
            )
        else:
            held = [found for role in roles for found in held_documents(stack, role)]
            unknown = [found for found in held if has_unknown(found.document)]
            statements, problems = _read(held)
            # A document that says nothing yet, or nothing readable, might hold whatever seems to be missing.
            complete = not problems and not any(found.document is UNKNOWN for found in held)
            if purpose:
                added = Contract(tuple(map(_right, config["additions"].get(function.name, ()))))
                both = contracts[purpose], added
                problems += _against(stack, function, both, held, statements, complete=complete)
            elif complete:
                problems += _unreadable_sources(stack, function, roles, statements)
            if problems:
                yield _finding(function, purpose, problems)
            for found in unknown:
                yield found.owner.pending(found.property_name)


def _against(
    stack: Stack,
    function: Resource,
    contracts: tuple[Contract, Contract],
    held: Sequence[Held],
    statements: Sequence[Statement],
    *,
    complete: bool,
) -> list[str]:
    """Problems with the contract of the purpose and with what the configuration adds to it."""
    try:
        of_purpose, added = (expectations(stack, function, contract) for contract in contracts)
    except ContractError as error:
        return [f"its contract builds on {error}, which it lacks"]
    wanted = [*of_purpose, *added]
    problems: list[str] = []
    component = stack.parent(function)
    if component is not None and component.get("purpose"):
        problems += declared_problems(component.get("grants"), wanted)
    problems += beyond(stack, statements, wanted)
    if complete:
        problems += missing(statements, wanted)
    if unknown := [found for found in held if has_unknown(found.document)]:
        problems += references(stack, held, unknown, wanted, of_purpose)
    return problems


def _unreadable_sources(
    stack: Stack, function: Resource, roles: Sequence[Resource], statements: Sequence[Statement]
) -> Iterator[str]:
    """Rights that a function without a contract lacks to read the sources of its mappings."""
    if any(not policies for role in roles for _, _, policies in attached_policies(stack, role)):
        return  # A policy from elsewhere may hold it; iam-attached-policy-in-stack reports that policy.
    for mapping in mappings_of(stack, function):
        source = mapping.get("eventSourceArn")
        if not isinstance(source, str) or source.split(":")[2:3] not in (["sqs"], ["dynamodb"]):
            continue
        needs = [(action, source) for action in (READ_STREAM if reads_stream(mapping) else POLL_QUEUE)]
        needs += [(action, "*") for action in LIST_STREAMS if reads_stream(mapping)]
        lacking = [
            action for action, arn in needs if not any(_allows(found, action, arn) for found in statements)
        ]
        if lacking:
            yield f"its mapping '{mapping.name}' needs {', '.join(lacking)}, which its role does not allow"


def _allows(statement: Statement, action: str, arn: str) -> bool:
    return (
        statement.allows
        and any(fnmatchcase(action.lower(), str(allowed).lower()) for allowed in statement.actions)
        and any(allowed is UNKNOWN or fnmatchcase(arn, allowed) for allowed in statement.resources)
    )


def _read(held: Sequence[Held]) -> tuple[list[Statement], list[str]]:
    statements: list[Statement] = []
    problems: list[str] = []
    for found in held:
        if found.document is not UNKNOWN:
            try:
                statements += read_document(found.document)
            except DocumentError as error:
                problems.append(f"the document in '{found.owner.name}' cannot be read: {error}")
    return statements, problems


def _right(given: Mapping[str, Any]) -> Right:
    return Right(
        given["sid"],
        tuple(given["actions"]),
        Place(given["place"]),
        tuple(given.get("variables", ())),
        tuple(given.get("resources", ())),
    )


def _given_purpose(function: Resource, purposes: Mapping[str, str]) -> str | None:
    return next((found for pattern, found in purposes.items() if fnmatchcase(function.name, pattern)), None)


def _finding(function: Resource, purpose: Any, problems: Sequence[str]) -> Finding:
    kind = f" (purpose {purpose})" if purpose else ""
    return function.finding(
        f"The role of function '{function.name}'{kind} must hold exactly its contract: {few(problems, '; ')}. {FIX}"
    )
