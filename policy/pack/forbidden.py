"""Rules that refuse resource types outright."""

from collections.abc import Sequence

from pulumi_policy import ResourceValidationPolicy

from pack.resources import Config, Resource, Verdicts
from pack.rule import Level, Options, resource_rule

ALLOWED_TYPES: Options = {
    "allowedTypes": {
        "type": "array",
        "items": {"type": "string"},
        "default": [],
        "description": "Resource types that this rule would refuse and that you accept.",
    }
}


def forbidden_types_rule(
    *, name: str, description: str, types: Sequence[str], why: str, remediation: str
) -> ResourceValidationPolicy:
    """A mandatory rule that refuses every resource of some types; `why` completes "must not exist: ..."."""

    def judge(resource: Resource, config: Config) -> Verdicts:
        if resource.type not in config["allowedTypes"]:
            yield resource.finding(
                f"'{resource.name}' ({resource.type}) must not exist: {why}. {remediation} "
                "Or accept its type in allowedTypes."
            )

    return resource_rule(
        name=name,
        level=Level.MANDATORY,
        description=description,
        remediation=remediation,
        types=types,
        judge=judge,
        options=ALLOWED_TYPES,
    )
