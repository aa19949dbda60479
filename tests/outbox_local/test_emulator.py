"""The emulator process, and each place where it is made to judge or answer as AWS does."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from outbox_local.clients import Clients
from outbox_local.emulator import reserve_port
from outbox_local.emulator.authorization import named_stream
from outbox_local.emulator.process import LOOPBACK
from outbox_local.errors import PortInUseError
from tests.outbox_local.emulated import allow, as_role, eventually, new_queue, new_stream

ROOT = Path(__file__).parents[2]

Name = Callable[[str], str]


def test_port_is_bound_to_the_loopback_address_alone() -> None:
    listener = reserve_port(0)

    address, _ = listener.getsockname()
    listener.close()

    assert address == LOOPBACK


def test_port_in_use_is_refused_with_the_way_out() -> None:
    taken = reserve_port(0)
    port = taken.getsockname()[1]

    with pytest.raises(PortInUseError, match=rf"Port {port} on 127\.0\.0\.1 is in use .* name another one"):
        reserve_port(port)

    taken.close()


def test_batch_send_needs_send_message_on_that_queue_alone(clients: Clients, fresh_name: Name) -> None:
    url, arn = new_queue(clients, fresh_name("granted"))
    other_url, _ = new_queue(clients, fresh_name("other"))
    sqs = as_role(clients, fresh_name("sender"), "sqs", allow("sqs:SendMessage", arn))
    entries = [{"Id": "1", "MessageBody": "hello"}]

    answer = sqs.send_message_batch(QueueUrl=url, Entries=entries)
    with pytest.raises(ClientError) as refused:
        sqs.send_message_batch(QueueUrl=other_url, Entries=entries)

    assert len(answer["Successful"]) == 1
    assert refused.value.response["Error"]["Code"].startswith("AccessDenied")


def test_batch_delete_needs_delete_message(clients: Clients, fresh_name: Name) -> None:
    url, arn = new_queue(clients, fresh_name("queue"))
    clients("sqs").send_message(QueueUrl=url, MessageBody="hello")
    message = clients("sqs").receive_message(QueueUrl=url)["Messages"][0]
    entries = [{"Id": "1", "ReceiptHandle": message["ReceiptHandle"]}]
    reader = as_role(clients, fresh_name("reader"), "sqs", allow("sqs:ReceiveMessage", arn))
    deleter = as_role(clients, fresh_name("deleter"), "sqs", allow("sqs:DeleteMessage", arn))

    with pytest.raises(ClientError) as refused:
        reader.delete_message_batch(QueueUrl=url, Entries=entries)
    answer = deleter.delete_message_batch(QueueUrl=url, Entries=entries)

    assert refused.value.response["Error"]["Code"].startswith("AccessDenied")
    assert len(answer["Successful"]) == 1


def test_stream_is_read_under_a_right_on_exactly_that_stream(clients: Clients, fresh_name: Name) -> None:
    stream_arn = new_stream(clients, fresh_name("source"))
    other_arn = new_stream(clients, fresh_name("other"))
    actions = ["dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords"]
    streams = as_role(clients, fresh_name("relay"), "dynamodbstreams", allow(actions, stream_arn))

    shard = streams.describe_stream(StreamArn=stream_arn)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = streams.get_shard_iterator(
        StreamArn=stream_arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    records = streams.get_records(ShardIterator=iterator)["Records"]
    with pytest.raises(ClientError) as refused:
        streams.describe_stream(StreamArn=other_arn)

    assert records == []
    assert refused.value.response["Error"]["Code"] == "AccessDeniedException"


@pytest.mark.parametrize(
    "body", [b"", b"not json", b"[]", b'{"ShardIterator": "rubbish"}', b'{"ShardIterator": 1}', b"{}"]
)
def test_stream_request_that_names_no_stream_has_no_resource(body: bytes) -> None:
    assert named_stream(body) is None


def test_emulator_ends_and_leaves_no_file_when_its_parent_is_killed(tmp_path: Path) -> None:
    program = (
        "import os, time\n"
        "from outbox_local.emulator import reserve_port, start_emulator\n"
        "with start_emulator(reserve_port(0), 'eu-central-1') as emulator:\n"
        "    print(emulator.endpoint_url.rsplit(':', 1)[1], flush=True)\n"
        "    time.sleep(600)\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        assert parent.stdout is not None
        port = int(parent.stdout.readline())

        parent.send_signal(signal.SIGKILL)

        assert eventually(lambda: port_is_free(port))
        assert eventually(lambda: list(tmp_path.iterdir()) == [])


def port_is_free(port: int) -> bool:
    try:
        reserve_port(port).close()
    except PortInUseError:
        return False
    return True
