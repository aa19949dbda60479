"""The resource type `aws.cloudwatch.Dashboard`."""

from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.errors import DeploymentError
from outbox_local.resources.base import LEAF, Computed, Properties, ResourceType, Schema


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
