"""Monitoring: an alarm for each way in which events stop, and a dashboard."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pulumi
from pulumi_aws import cloudwatch

from . import limits
from .addresses import require_different, require_topics
from .alarms import ALARMS, Alarm
from .arguments import checked, outputs_of, require_settings
from .dashboard import dashboard_body
from .package import type_token
from .relations import require_something_to_watch
from .statements import region_of
from .validation import require_name

NAME_FIELDS = tuple(dict.fromkeys(alarm.watches for alarm in ALARMS))
"""The fields of the args that name something to watch."""


class MonitoringArgs(TypedDict):
    """Names to watch, one at least, and thresholds; each alarm exists for the names that are given."""

    command_function_name: NotRequired[pulumi.Input[str]]
    """Function that takes commands."""
    relay_function_name: NotRequired[pulumi.Input[str]]
    """Function that a relay runs."""
    consumer_function_name: NotRequired[pulumi.Input[str]]
    """Function that a consumer runs."""
    reconciler_function_name: NotRequired[pulumi.Input[str] | None]
    """Function that looks for lost events, if there is one."""
    queue_name: NotRequired[pulumi.Input[str]]
    """Delivery queue."""
    dead_letter_queue_name: NotRequired[pulumi.Input[str]]
    """Dead-letter queue."""
    relay_failure_queue_name: NotRequired[pulumi.Input[str] | None]
    """Queue of abandoned batches, if the relay has one."""
    alarm_topic_arns: NotRequired[list[pulumi.Input[str]]]
    """SNS topics that are told when an alarm begins and when it ends; without one, only the console shows it."""
    runbook_url: NotRequired[str]
    """Address of the runbook: each alarm's description names its section."""
    alarm_dead_letters: NotRequired[int]
    """Dead-letter messages at which somebody is called."""
    alarm_message_age_seconds: NotRequired[int]
    """Age of the oldest message in the delivery queue at which somebody is called."""
    alarm_stream_age_seconds: NotRequired[int]
    """Age of the records that the relay gets at which somebody is called."""
    alarm_command_errors: NotRequired[int]
    """Failed or refused commands in five minutes at which somebody is called."""
    alarm_function_errors: NotRequired[int]
    """Failed invocations of relay or consumer in five minutes at which somebody is called."""
    alarm_throttles: NotRequired[int]
    """Invocations of one function turned away in five minutes at which somebody is called."""


def require_monitoring_settings(args: Mapping[str, object]) -> None:
    """Every setting is in its range, and the topics that are known are topics.

    Raises:
        InvalidSettingError: one is not, or there is no such argument.
    """
    require_settings(args, MonitoringArgs)
    topics = limits.ALARM_TOPIC_ARNS.read(args)
    if all(isinstance(topic, str) for topic in topics):
        require_topics(topics)


class Monitoring(pulumi.ComponentResource):
    """Alarms that fire for what really happens to events, each with a section of the runbook, and a dashboard."""

    dashboard_name: pulumi.Output[str]
    """Name of the dashboard."""
    alarm_arns: pulumi.Output[list[str]]
    """ARNs of all alarms."""

    def __init__(self, name: str, args: MonitoringArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        require_name(name)
        require_monitoring_settings(args)
        names = _different(_names_of(args))
        require_something_to_watch(NAME_FIELDS, names)
        runbook = limits.RUNBOOK_URL.read(args)
        topics = checked(limits.ALARM_TOPIC_ARNS.read(args), require_topics)
        thresholds = {alarm.name: alarm.threshold_in(args) for alarm in ALARMS}
        super().__init__(type_token("Monitoring"), name, {}, opts)

        made = [
            cloudwatch.MetricAlarm(
                f"{name}-{alarm.name}",
                alarm_description=description(alarm, runbook, pulumi.get_stack()),
                namespace=alarm.metric.namespace,
                metric_name=alarm.metric.name,
                dimensions={alarm.metric.dimension: names[alarm.watches]},
                statistic=alarm.metric.statistic,
                period=alarm.metric.period_seconds,
                evaluation_periods=1,
                comparison_operator=alarm.metric.comparison,
                threshold=thresholds[alarm.name],
                treat_missing_data=alarm.metric.missing.value,
                alarm_actions=topics,
                ok_actions=topics,
                opts=pulumi.ResourceOptions(parent=self),
            )
            for alarm in ALARMS
            if alarm.watches in names
        ]
        alarm_arns = pulumi.Output.all(*(alarm.arn for alarm in made))
        dashboard = cloudwatch.Dashboard(
            f"{name}-dashboard",
            # An account has one list of dashboards for all regions, and a second one of a name would overwrite the
            # first. Pulumi gives dashboards no name of its own: this has the random end of an alarm's.
            dashboard_name=made[0].name.apply(lambda alarm: f"{name}-dashboard-{alarm.rpartition('-')[2]}"),
            dashboard_body=pulumi.Output.json_dumps(
                pulumi.Output.all(pulumi.Output.from_input(names), alarm_arns).apply(
                    lambda known: _body(*known)
                )
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )

        self.dashboard_name = dashboard.dashboard_name
        self.alarm_arns = alarm_arns
        self.register_outputs(outputs_of(self))


def description(alarm: Alarm, runbook: str, stack: str) -> str:
    """Text for whoever is called: the alarm's meaning, the stack, the section of the runbook."""
    return f"{alarm.means} Stack {stack}. Runbook: {runbook}#{alarm.anchor}"


def _names_of(args: Mapping[str, Any]) -> dict[str, pulumi.Input[str]]:
    return {field: args[field] for field in NAME_FIELDS if args.get(field) is not None}


def _different(names: dict[str, Any]) -> dict[str, Any]:
    """The names, of which no two are the same function or the same queue, as far as they are known."""
    for kind in ("function_name", "queue_name"):
        fields = [field for field in names if field.endswith(kind)]
        require_different(", ".join(fields), [names[field] for field in fields])
    return names


def _body(names: dict[str, str], alarm_arns: Sequence[str]) -> dict[str, object]:
    return dashboard_body(region_of(alarm_arns[0]), _different(names), alarm_arns)
