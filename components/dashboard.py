"""The dashboard's body, from names and the region alone.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .alarms import (
    ALARMS,
    DIMENSIONS,
    FIVE_MINUTES_SECONDS,
    FUNCTION_FIELDS,
    FUNCTIONS,
    MINUTE_SECONDS,
    OUTBOX,
    QUEUES,
)

GRID_COLUMNS = 24
GRAPH_COLUMNS = 12
GRAPH_ROWS = 6
ALARM_ROWS = 4

Widget = dict[str, Any]
Series = tuple[str, str, str, str]
"""Namespace, metric, the field that holds the watched name, label."""


def dashboard_body(region: str, names: Mapping[str, str], alarm_arns: Sequence[str]) -> Widget:
    """The states of all alarms, and a graph of each thing that goes from the command to the total.

    Args:
        region: whose metrics are drawn; a dashboard itself belongs to no region.
        names: the names of queues and functions by field of the component's args; what has no name is not drawn.
        alarm_arns: the alarms, in the order in which they are shown.
    """
    graphs = [
        ("Commands, relay batches, consumer batches", _of_functions("Invocations"), "Sum"),
        (
            "Stored events waiting in the stream, age (ms)",
            [(FUNCTIONS, "IteratorAge", "relay_function_name", "relay")],
            "Maximum",
        ),
        ("Messages in the queues", _in_queues(), "Maximum"),
        (
            "Oldest message, age (s)",
            [(QUEUES, "ApproximateAgeOfOldestMessage", "queue_name", "delivery queue")],
            "Maximum",
        ),
        ("Failed invocations", _of_functions("Errors"), "Sum"),
        ("Invocations turned away", _of_functions("Throttles"), "Sum"),
        ("Duration (ms)", _of_functions("Duration"), "p99"),
        ("Events that need somebody", _findings(), "Maximum"),
    ]
    states = {
        "type": "alarm",
        "x": 0,
        "y": 0,
        "width": GRID_COLUMNS,
        "height": ALARM_ROWS,
        "properties": {"title": "Alarms", "alarms": list(alarm_arns)},
    }
    drawn = [
        (title, [line for each in series if (line := _line(each, names))], statistic)
        for title, series, statistic in graphs
    ]
    return {
        "widgets": [
            states,
            *(
                _graph(place, region, *graph)
                for place, graph in enumerate(graph for graph in drawn if graph[1])
            ),
        ]
    }


def _of_functions(metric: str) -> list[Series]:
    return [(FUNCTIONS, metric, field, field.removesuffix("_function_name")) for field in FUNCTION_FIELDS]


def _in_queues() -> list[Series]:
    waiting, in_flight = "ApproximateNumberOfMessagesVisible", "ApproximateNumberOfMessagesNotVisible"
    return [
        (QUEUES, waiting, "queue_name", "waiting"),
        (QUEUES, in_flight, "queue_name", "in flight"),
        (QUEUES, waiting, "dead_letter_queue_name", "dead-letter messages"),
        (QUEUES, waiting, "relay_failure_queue_name", "abandoned batches"),
    ]


def _findings() -> list[Series]:
    return [
        (OUTBOX, alarm.metric.name, alarm.watches, alarm.name)
        for alarm in ALARMS
        if alarm.metric.namespace == OUTBOX
    ]


def _line(series: Series, names: Mapping[str, str]) -> list[Any] | None:
    namespace, metric, field, label = series
    name = names.get(field)
    return None if name is None else [namespace, metric, DIMENSIONS[namespace], name, {"label": label}]


def _graph(place: int, region: str, title: str, lines: Iterable[list[Any]], statistic: str) -> Widget:
    """A graph at its place, two in a row; sums are of five minutes, like the alarms' own."""
    columns = GRID_COLUMNS // GRAPH_COLUMNS
    return {
        "type": "metric",
        "x": place % columns * GRAPH_COLUMNS,
        "y": ALARM_ROWS + place // columns * GRAPH_ROWS,
        "width": GRAPH_COLUMNS,
        "height": GRAPH_ROWS,
        "properties": {
            "title": title,
            "region": region,
            "stat": statistic,
            "period": FIVE_MINUTES_SECONDS if statistic == "Sum" else MINUTE_SECONDS,
            "metrics": list(lines),
            "yAxis": {"left": {"min": 0}},
        },
    }
