"""The authorization log can be read, and a function's log is written with the rights of its role."""

from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError

from outbox_local.authorization_log import Authorization, read_authorizations
from outbox_local.clients import Clients
from tests.outbox_local.emulated import allow, as_role, new_queue

Name = Callable[[str], str]


def _of_role(clients: Clients, role: str) -> list[Authorization]:
    return [each for each in read_authorizations(clients.endpoint) if each.role == role]


def test_authorization_log_tell_allowed_and_refused_calls_of_a_role_apart(
    clients: Clients, fresh_name: Name
) -> None:
    url, arn = new_queue(clients, fresh_name("queue"))
    role = fresh_name("role")
    sqs = as_role(clients, role, "sqs", allow("sqs:SendMessage", arn))

    sqs.send_message(QueueUrl=url, MessageBody="once")
    sqs.send_message(QueueUrl=url, MessageBody="twice")
    with pytest.raises(ClientError, match="AccessDenied"):
        sqs.purge_queue(QueueUrl=url)

    assert sorted(_of_role(clients, role), key=lambda each: each.action) == [
        Authorization(role, "sqs:PurgeQueue", arn, allowed=False, count=1),
        Authorization(role, "sqs:SendMessage", arn, allowed=True, count=2),
    ]


def test_authorization_log_leave_out_what_is_only_simulated(clients: Clients, fresh_name: Name) -> None:
    _, arn = new_queue(clients, fresh_name("queue"))
    role = fresh_name("role")
    as_role(clients, role, "sqs", allow("sqs:SendMessage", arn))
    role_arn = clients("iam").get_role(RoleName=role)["Role"]["Arn"]

    clients("iam").simulate_principal_policy(
        PolicySourceArn=role_arn, ActionNames=["sqs:SendMessage"], ResourceArns=[arn]
    )

    assert _of_role(clients, role) == []
