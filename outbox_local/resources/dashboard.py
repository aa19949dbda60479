"""The resource type `aws.cloudwatch.Dashboard`."""

from typing import ClassVar

from botocore.exceptions import ClientError

from outbox_local.clients import Clients
from outbox_local.errors import DeploymentError
from outbox_local.resources.base import LEAF, Created, Properties, ResourceType, Schema

GONE = ("ResourceNotFound", "DashboardNotFoundError")  # CloudWatch's word, and the emulator's for a removal


class Dashboard(ResourceType):
    """A dashboard; its id is its name, which the AWS provider does not make."""

    pulumi_type = "aws:cloudwatch/dashboard:Dashboard"
    schema: ClassVar[Schema] = {"dashboardName": LEAF, "dashboardBody": LEAF}
    replaced_on = frozenset({"dashboardName"})
    required = frozenset({"dashboardName", "dashboardBody"})
    computed: ClassVar[dict[str, frozenset[str]]] = {"dashboardArn": frozenset()}

    def create(self, clients: Clients, logical_name: str, inputs: Properties) -> Created:
        """See the base class."""
        name = inputs["dashboardName"]
        return Created(name, self.update(clients, name, {}, inputs))

    def read(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """See the base class."""
        try:
            found = clients("cloudwatch").get_dashboard(DashboardName=resource_id)
        except ClientError as error:
            _require_gone(error)
            return None
        return inputs | {
            "dashboardName": resource_id,
            "dashboardBody": found["DashboardBody"],
            "dashboardArn": found["DashboardArn"],
        }

    def update(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> Properties:
        """Puts the whole body.

        Raises:
            DeploymentError: CloudWatch names parts of the body that it will not draw.
        """
        answer = clients("cloudwatch").put_dashboard(
            DashboardName=resource_id, DashboardBody=new["dashboardBody"]
        )
        if messages := answer.get("DashboardValidationMessages"):
            raise DeploymentError(f"{self.pulumi_type} {resource_id}: {messages}")
        return self.outputs(clients, resource_id, new)

    def delete(self, clients: Clients, resource_id: str) -> None:
        """See the base class."""
        try:
            clients("cloudwatch").delete_dashboards(DashboardNames=[resource_id])
        except ClientError as error:
            _require_gone(error)


def _require_gone(error: ClientError) -> None:
    """Raises an error again that says anything but that the dashboard is not there."""
    if error.response["Error"]["Code"] not in GONE:
        raise error
