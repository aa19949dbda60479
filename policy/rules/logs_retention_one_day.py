"""Every log group is kept for the same few days, in the Standard class; without a retention it is kept for ever.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html
"""

from pack.options import whole
from pack.resources import LOG_GROUP, Config, Resource, Verdicts
from pack.rule import resource_rule
from pack.values import UNKNOWN

STANDARD_CLASS = "STANDARD"
FIX = "Set retentionInDays to it, or this rule's `days` to what you mean."


@resource_rule(
    name="logs-retention-one-day",
    description="Log groups are kept exactly as long as agreed (one day), in the Standard class.",
    remediation=FIX,
    types=[LOG_GROUP],
    options={"days": whole(1, "How many days logs are kept.", minimum=1)},
)
def judge(group: Resource, config: Config) -> Verdicts:
    """Judge retention and class of a log group."""
    days, kept, log_class = int(config["days"]), group.get("retentionInDays"), group.get("logGroupClass")
    if kept is UNKNOWN:
        yield group.pending("retentionInDays")
    elif kept != days:
        found = f"kept {kept:g} days" if kept else "kept for ever"
        yield group.finding(
            f"Log group '{group.name}' must be kept exactly {days} day(s); it is {found}. {FIX}"
        )
    if log_class is UNKNOWN:
        yield group.pending("logGroupClass")
    elif log_class not in (None, STANDARD_CLASS):
        yield group.finding(
            f"Log group '{group.name}' must be of class {STANDARD_CLASS}, which metric filters and alarms need; "
            f"it is {log_class}. Leave logGroupClass out."
        )
