"""The resource type `aws.lambda.Function`."""

from typing import Any, ClassVar

from outbox_local.clients import Clients
from outbox_local.errors import UnsupportedResourceError
from outbox_local.resources.archive import zip_archive
from outbox_local.resources.base import (
    FREE_FORM,
    LEAF,
    Computed,
    Properties,
    ResourceType,
    Schema,
    physical_name,
    tags_of,
    without_nones,
)

# Seconds between two polls; Lambda's own state changes take under one.
POLL = {"Delay": 0.1, "MaxAttempts": 300}


class Function(ResourceType):
    """A function from a zip archive, with its role, log group and environment; its id is its name."""

    pulumi_type = "aws:lambda/function:Function"
    schema: ClassVar[Schema] = {
        "name": LEAF,
        "description": LEAF,
        "role": LEAF,
        "code": FREE_FORM,
        "handler": LEAF,
        "runtime": LEAF,
        "architectures": LEAF,
        "memorySize": LEAF,
        "timeout": LEAF,
        "ephemeralStorage": {"size": LEAF},
        "environment": {"variables": FREE_FORM},
        "loggingConfig": {
            "logFormat": LEAF,
            "logGroup": LEAF,
            "applicationLogLevel": LEAF,
            "systemLogLevel": LEAF,
        },
        "reservedConcurrentExecutions": LEAF,
        "tracingConfig": {"mode": LEAF},
        "tags": FREE_FORM,
    }
    ignored = frozenset(
        {
            "vpcConfig",
            "kmsKeyArn",
            "sourceKmsKeyArn",
            "codeSigningConfigArn",
            "sourceCodeHash",
            "deadLetterConfig",
            "skipDestroy",
            "snapStart",
            "replaceSecurityGroupsOnDestroy",
            "replacementSecurityGroupIds",
            "useResourceTimeoutForPropagation",
        }
    )
    replaced_on = frozenset({"name"})
    required = frozenset({"role", "code", "handler", "runtime"})
    computed: ClassVar[Computed] = {"arn": frozenset(), "codeSha256": frozenset({"code"})}

    def _make(self, clients: Clients, logical_name: str, inputs: Properties) -> str:
        name = physical_name(logical_name, inputs)
        clients("lambda").create_function(
            FunctionName=name,
            Code={"ZipFile": zip_archive(inputs["code"])},
            Architectures=inputs.get("architectures") or ["x86_64"],
            Tags=tags_of(inputs),
            **_configuration(inputs),
        )
        return name

    def _complete(self, clients: Clients, resource_id: str, inputs: Properties) -> None:
        """Waits until the function can be invoked, then reserves its concurrency."""
        self._settle(clients, resource_id)
        self._reserve_concurrency(clients, resource_id, {}, inputs)

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """The outputs; the code stands as it was given, with the hash of what is deployed beside it."""
        found = clients("lambda").get_function_configuration(FunctionName=resource_id)
        current: dict[str, Any] = {
            "handler": found["Handler"],
            "runtime": found["Runtime"],
            "memorySize": found["MemorySize"],
            "timeout": found["Timeout"],
            "role": found["Role"],
        }
        if variables := found.get("Environment", {}).get("Variables"):
            current["environment"] = {"variables": variables}
        return (
            inputs
            | current
            | {"name": resource_id, "arn": found["FunctionArn"], "codeSha256": found["CodeSha256"]}
        )

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        """Uploads the code, then sets the configuration, one after the other as Lambda wants it."""
        functions = clients("lambda")
        functions.update_function_code(
            FunctionName=resource_id,
            ZipFile=zip_archive(new["code"]),
            Architectures=new.get("architectures") or ["x86_64"],
        )
        self._settle(clients, resource_id)
        functions.update_function_configuration(FunctionName=resource_id, **_configuration(new))
        self._settle(clients, resource_id)
        self._reserve_concurrency(clients, resource_id, old, new)

    def _remove(self, clients: Clients, resource_id: str) -> None:
        clients("lambda").delete_function(FunctionName=resource_id)

    def _settle(self, clients: Clients, name: str) -> None:
        for waiter in ("function_active_v2", "function_updated_v2"):
            clients("lambda").get_waiter(waiter).wait(FunctionName=name, WaiterConfig=POLL)

    def _reserve_concurrency(self, clients: Clients, name: str, old: Properties, new: Properties) -> None:
        """The AWS provider's -1 stands for no reservation; 0 stops the function."""
        reserved = new.get("reservedConcurrentExecutions", -1)
        if reserved != old.get("reservedConcurrentExecutions", -1):
            if reserved == -1:
                clients("lambda").delete_function_concurrency(FunctionName=name)
            else:
                clients("lambda").put_function_concurrency(
                    FunctionName=name, ReservedConcurrentExecutions=int(reserved)
                )


def _configuration(inputs: Properties) -> dict[str, Any]:
    if not inputs["runtime"].startswith("python"):
        raise UnsupportedResourceError(
            f"The local AWS runs Python, and the function's runtime is {inputs['runtime']!r}."
        )
    logging = inputs.get("loggingConfig") or {}
    storage = inputs.get("ephemeralStorage") or {}
    tracing = inputs.get("tracingConfig") or {}
    return without_nones(
        {
            "Role": inputs["role"],
            "Handler": inputs["handler"],
            "Runtime": inputs["runtime"],
            "Description": inputs.get("description"),
            "MemorySize": _whole(inputs.get("memorySize")),
            "Timeout": _whole(inputs.get("timeout")),
            "TracingConfig": {"Mode": tracing["mode"]} if tracing else None,
            "EphemeralStorage": {"Size": int(storage["size"])} if storage else None,
            "Environment": {"Variables": (inputs.get("environment") or {}).get("variables") or {}},
            "LoggingConfig": without_nones(
                {
                    "LogFormat": logging.get("logFormat"),
                    "LogGroup": logging.get("logGroup"),
                    "ApplicationLogLevel": logging.get("applicationLogLevel"),
                    "SystemLogLevel": logging.get("systemLogLevel"),
                }
            )
            or None,
        }
    )


def _whole(number: float | None) -> int | None:
    """Numbers come as floats from the engine, and Lambda takes whole ones."""
    return None if number is None else int(number)
