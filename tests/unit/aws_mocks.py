"""Answers that look like the AWS provider's: names with a random-looking end, ARNs in a chosen partition and region."""

from collections.abc import Mapping
from typing import Any

from pulumi.runtime import mocks as pulumi_mocks

TABLE = "aws:dynamodb/table:Table"
QUEUE = "aws:sqs/queue:Queue"
LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
ROLE = "aws:iam/role:Role"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
FUNCTION = "aws:lambda/function:Function"
ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"
DASHBOARD = "aws:cloudwatch/dashboard:Dashboard"
MAPPING = "aws:lambda/eventSourceMapping:EventSourceMapping"
PERMISSION = "aws:lambda/permission:Permission"
SCHEDULE = "aws:cloudwatch/eventRule:EventRule"
TARGET = "aws:cloudwatch/eventTarget:EventTarget"

NAME_END = "-1a2b3c4"


class AwsMocks(pulumi_mocks.Mocks):
    """Answers with what the AWS provider would compute; nothing computed is known at preview."""

    def __init__(
        self,
        *,
        partition: str = "aws",
        region: str = "us-east-1",
        account: str = "123456789012",
        preview: bool = False,
        overrides: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.partition = partition
        self.region = region
        self.account = account
        self.preview = preview
        self.overrides = overrides or {}
        self.provider_regions: dict[str, str] = {}

    def call(self, args: pulumi_mocks.MockCallArgs) -> Any:
        raise AssertionError(f"The program looked something up: {args.token} {args.args}")

    def new_resource(self, args: pulumi_mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        if not args.custom:
            return "", args.inputs
        if args.typ.startswith("pulumi:providers:"):
            self.provider_regions[f"{args.name}-id"] = args.inputs["region"]
            return f"{args.name}-id", args.inputs
        if self.preview:
            return "", args.inputs
        name = args.name + NAME_END
        region = self.provider_regions.get((args.provider or "").rpartition("::")[2], self.region)
        computed = self._computed(args.typ, name, region, args.inputs) | dict(
            self.overrides.get(args.typ, {})
        )
        return computed.get("uuid", name), args.inputs | computed

    def _computed(self, type_: str, name: str, region: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        def arn(service: str, resource: str, *, place: str = region) -> str:
            return f"arn:{self.partition}:{service}:{place}:{self.account}:{resource}"

        table = arn("dynamodb", f"table/{name}")
        answers: dict[str, dict[str, Any]] = {
            TABLE: {
                "name": name,
                "arn": table,
                "streamArn": f"{table}/stream/2026-09-05T12:00:00.000" if inputs.get("streamEnabled") else "",
            },
            QUEUE: {
                "name": name,
                "arn": arn("sqs", name),
                "url": f"https://sqs.{region}.test/{self.account}/{name}",
            },
            LOG_GROUP: {"name": name, "arn": arn("logs", f"log-group:{name}")},
            ROLE: {"name": name, "arn": arn("iam", f"role/{name}", place="")},
            ROLE_POLICY: {"name": name},
            FUNCTION: {"name": name, "arn": arn("lambda", f"function:{name}")},
            MAPPING: {"uuid": f"uuid-of-{name}"},
            PERMISSION: {"statementId": name},
            SCHEDULE: {"name": name, "arn": arn("events", f"rule/{name}")},
            TARGET: {"targetId": name},
            ALARM: {"name": name, "arn": arn("cloudwatch", f"alarm:{name}")},
            DASHBOARD: {},
        }
        assert type_ in answers, f"The program registered a resource of an unexpected type: {type_} {name}"
        return answers[type_]
