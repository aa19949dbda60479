"""The resource types `aws.cloudwatch.MetricAlarm` and `aws.cloudwatch.Dashboard`."""

from typing import Any, ClassVar

from outbox_local.clients import Clients
from outbox_local.errors import DeploymentError
from outbox_local.resources.base import (
    FREE_FORM,
    LEAF,
    Computed,
    Properties,
    ResourceType,
    Schema,
    tag_list,
    without_nones,
)

PARAMETERS = {
    "actionsEnabled": "ActionsEnabled",
    "alarmActions": "AlarmActions",
    "alarmDescription": "AlarmDescription",
    "comparisonOperator": "ComparisonOperator",
    "datapointsToAlarm": "DatapointsToAlarm",
    "evaluationPeriods": "EvaluationPeriods",
    "insufficientDataActions": "InsufficientDataActions",
    "metricName": "MetricName",
    "namespace": "Namespace",
    "okActions": "OKActions",
    "period": "Period",
    "statistic": "Statistic",
    "threshold": "Threshold",
    "treatMissingData": "TreatMissingData",
    "unit": "Unit",
}
WHOLE_NUMBERS = frozenset({"datapointsToAlarm", "evaluationPeriods", "period"})


class MetricAlarm(ResourceType):
    """An alarm on one metric; its id is its name.

    The emulator stores it and answers with it. It never fires there: there are no metrics of queues, and the
    emulator compares a metric's values whatever their dimensions are.
    """

    pulumi_type = "aws:cloudwatch/metricAlarm:MetricAlarm"
    schema: ClassVar[Schema] = {
        "name": LEAF,
        "dimensions": FREE_FORM,
        "tags": FREE_FORM,
    } | dict.fromkeys(PARAMETERS, LEAF)
    ignored = frozenset({"evaluateLowSampleCountPercentiles", "extendedStatistic", "thresholdMetricId"})
    replaced_on = frozenset({"name"})
    required = frozenset({"comparisonOperator"})
    computed: ClassVar[Computed] = {"arn": frozenset()}

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        found = clients("cloudwatch").describe_alarms(AlarmNames=[resource_id])["MetricAlarms"]
        if not found:
            return None
        current = {name: found[0][key] for name, key in PARAMETERS.items() if key in found[0]}
        dimensions = {each["Name"]: each["Value"] for each in found[0]["Dimensions"]}
        return inputs | current | {"name": resource_id, "dimensions": dimensions, "arn": found[0]["AlarmArn"]}

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        """Puts the whole alarm: CloudWatch overwrites one of the same name."""
        clients("cloudwatch").put_metric_alarm(AlarmName=resource_id, **_parameters(new))

    def _remove(self, clients: Clients, resource_id: str) -> None:
        clients("cloudwatch").delete_alarms(AlarmNames=[resource_id])


def _parameters(inputs: Properties) -> dict[str, Any]:
    """The call's arguments; the engine hands over every number as a float."""
    parameters = {key: inputs.get(name) for name, key in PARAMETERS.items()}
    parameters |= {
        PARAMETERS[name]: int(inputs[name]) for name in WHOLE_NUMBERS if inputs.get(name) is not None
    }
    dimensions = [{"Name": name, "Value": value} for name, value in (inputs.get("dimensions") or {}).items()]
    return without_nones(parameters | {"Dimensions": dimensions, "Tags": tag_list(inputs) or None})


class Dashboard(ResourceType):
    """A dashboard; its id is its name, which the AWS provider does not make."""

    pulumi_type = "aws:cloudwatch/dashboard:Dashboard"
    schema: ClassVar[Schema] = {"dashboardName": LEAF, "dashboardBody": LEAF}
    replaced_on = frozenset({"dashboardName"})
    required = frozenset({"dashboardName", "dashboardBody"})
    computed: ClassVar[Computed] = {"dashboardArn": frozenset()}

    def _id(self, logical_name: str, inputs: Properties) -> str:
        return str(inputs["dashboardName"])

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        found = clients("cloudwatch").get_dashboard(DashboardName=resource_id)
        return inputs | {
            "dashboardName": resource_id,
            "dashboardBody": found["DashboardBody"],
            "dashboardArn": found["DashboardArn"],
        }

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        """Puts the whole body.

        Raises:
            DeploymentError: CloudWatch names parts of the body that it will not draw.
        """
        answer = clients("cloudwatch").put_dashboard(
            DashboardName=resource_id, DashboardBody=new["dashboardBody"]
        )
        if messages := answer.get("DashboardValidationMessages"):
            raise DeploymentError(f"{self.pulumi_type} {resource_id}: {messages}")

    def _remove(self, clients: Clients, resource_id: str) -> None:
        clients("cloudwatch").delete_dashboards(DashboardNames=[resource_id])
