"""A mapping of a DynamoDB stream: finds its shards and works them, parents before children."""

from concurrent.futures import Executor
from typing import TYPE_CHECKING

from .clock import Clock
from .destination import Destination, invocation_record
from .invocation import Outcome, invoke
from .mapping import Mapping
from .observation import Observer, ignore
from .retry import Batch
from .sessions import MakeClient
from .shard import Position, Positions, Shard

if TYPE_CHECKING:
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient
    from types_boto3_dynamodbstreams.type_defs import ShardTypeDef
    from types_boto3_lambda import LambdaClient

DISCOVERY_SECONDS = 10.0


class StreamPoller:
    """One step reads and delivers once in every shard; a failing shard does not hold up another.

    Args:
        mapping: The mapping as deployed.
        make_client: Clients for the function's role, which reads, and for the operator, who invokes.
        positions: Kept by the caller for as long as the mapping exists.
        executor: Runs the deliveries of one step side by side.
        speed: Divides windows, record ages and the pauses between retries.
    """

    def __init__(
        self,
        mapping: Mapping,
        make_client: MakeClient,
        *,
        positions: Positions,
        executor: Executor,
        clock: Clock,
        observer: Observer = ignore,
        speed: float = 1.0,
    ) -> None:
        self._mapping = mapping.accelerated(speed)
        self._lambda: LambdaClient = make_client("lambda", None)
        role_arn = self._lambda.get_function_configuration(FunctionName=mapping.function_arn)["Role"]
        self._streams: DynamoDBStreamsClient = make_client("dynamodbstreams", role_arn)
        # AWS wants the right to it at creation and does not say when it makes use of it: here at each start.
        self._streams.list_streams(TableName=mapping.source_arn.split("/")[1])
        self._destination = (
            Destination(mapping.destination_arn, make_client, role_arn) if mapping.destination_arn else None
        )
        self._positions = positions
        self._executor = executor
        self._clock = clock
        self._observer = observer
        self._speed = speed
        self._shards: dict[str, Shard] = {}
        self._discover_at = 0.0

    def step(self) -> bool:
        """Work every open shard once; tells whether there was anything to do."""
        worked, errors = False, []
        for shard in self.open_shards():
            try:
                worked |= shard.step()
            except Exception as error:  # noqa: BLE001 - raised below, once every shard had its turn
                errors.append(error)
        if errors:
            raise errors[0]
        return worked

    def open_shards(self) -> list[Shard]:
        """The shards there is something to do in, those that appeared since the last call included."""
        if self._clock.now() >= self._discover_at:
            self._discover()
            self._discover_at = self._clock.now() + DISCOVERY_SECONDS
        return [shard for shard in self._shards.values() if not shard.is_finished]

    def _discover(self) -> None:
        descriptions = self._describe()
        known = {description["ShardId"] for description in descriptions}
        # LATEST is meant for the shards of the beginning; those that appear later are read whole.
        start = self._mapping.starting_position if not self._positions else "TRIM_HORIZON"
        fresh = [
            description["ShardId"]
            for description in descriptions
            if description["ShardId"] not in self._positions
        ]
        for shard_id in fresh:
            self._positions[shard_id] = Position(start)
        for description in descriptions:
            parent_id = description.get("ParentShardId")
            is_ready = parent_id not in known or (
                parent_id in self._shards and self._shards[parent_id].is_finished
            )
            if is_ready and description["ShardId"] not in self._shards:
                self._shards[description["ShardId"]] = self._open(description["ShardId"])

    def _describe(self) -> "list[ShardTypeDef]":
        shards: list[ShardTypeDef] = []
        page = self._streams.describe_stream(StreamArn=self._mapping.source_arn)["StreamDescription"]
        shards.extend(page["Shards"])
        while last := page.get("LastEvaluatedShardId"):
            page = self._streams.describe_stream(
                StreamArn=self._mapping.source_arn, ExclusiveStartShardId=last
            )["StreamDescription"]
            shards.extend(page["Shards"])
        return shards

    def _open(self, shard_id: str) -> Shard:
        return Shard(
            shard_id,
            self._mapping,
            streams=self._streams,
            positions=self._positions,
            executor=self._executor,
            deliver=self._deliver,
            discard=self._discard,
            clock=self._clock,
            observer=self._observer,
            speed=self._speed,
        )

    def _deliver(self, encoded: list[bytes]) -> Outcome:
        return invoke(self._lambda, self._mapping.function_arn, encoded)

    def _discard(self, shard_id: str, batch: Batch, condition: str, outcome: Outcome | None) -> None:
        if self._destination:
            now = self._clock.now()
            self._destination.send(
                invocation_record(
                    self._mapping, shard_id, batch, condition=condition, outcome=outcome, now=now
                )
            )
