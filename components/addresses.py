"""Values that must name one resource, several resources, or one region: pure functions, as in relations.py."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from .relations import require_arn, require_queue_url, require_standard_queue
from .validation import InvalidSettingError, require_list

# Most hosts name the region: sqs.REGION.amazonaws.com, REGION.queue.amazonaws.com, VPC endpoints. Local hosts do not.
REGION_LABEL = re.compile(r"(?:^|\.)([a-z]{2,4}(?:-[a-z]+)+-\d)\.")
ACCOUNT = re.compile(r"\d{12}")


def require_same_queue(url_field: str, arn_field: str, queue: Sequence[object]) -> list[str]:
    """The URL and the ARN of one standard queue, as far as the URL tells.

    Raises:
        InvalidSettingError: the function would send to one queue and have the right to another.
    """
    url, arn = require_queue_url(url_field, queue[0]), require_standard_queue(arn_field, queue[1])
    _, _, _, region, account, name = arn.split(":")
    address = urlsplit(url)
    *path, url_name = address.path.strip("/").split("/")
    differs = url_name != name
    differs |= bool(path and ACCOUNT.fullmatch(path[-1])) and path[-1] != account
    differs |= any(told != region for told in REGION_LABEL.findall(address.hostname or ""))
    if differs:
        raise InvalidSettingError(
            f"{url_field} has {url!r} and {arn_field} has {arn!r}, which is another queue. "
            "Give the URL and the ARN of the same queue."
        )
    return [url, arn]


def require_same_table(name_field: str, arn_field: str, table: Sequence[object]) -> str:
    """The ARN of the table with a name, which may be its ARN too.

    Raises:
        InvalidSettingError: the function would use one table and have the right to another.
    """
    name, given = table
    arn = require_arn(arn_field, given, service="dynamodb", wanted="a table's ARN, which it gives as arn")
    if name not in (arn, arn.partition(":table/")[2]):
        raise InvalidSettingError(
            f"{name_field} is {name!r} and {arn_field} has {arn!r}, which is another table. "
            "Give the name and the ARN of the same table."
        )
    return arn


def require_same_index(index: Sequence[object]) -> str:
    """The ARN of the index with a name on the source table.

    Raises:
        InvalidSettingError: the reconciler would query one index and have the right to another.
    """
    table_name, name, given = index
    arn = require_arn(
        "index_arn", given, service="dynamodb", wanted="the ARN of an index, TABLE_ARN/index/NAME"
    )
    table_arn, _, arn_name = arn.partition("/index/")
    if name != arn_name:
        raise InvalidSettingError(
            f"index_name is {name!r} and index_arn has {arn!r}, which is another index. "
            "Give the name and the ARN of the same index."
        )
    require_same_table("source_table_name", "index_arn", [table_name, table_arn])
    return arn


def require_different(field: str, values: Sequence[object]) -> list[str]:
    """Values of which each names another resource; those that are not known yet are not checked.

    Raises:
        InvalidSettingError: one is there twice.
    """
    known = [value for value in values if isinstance(value, str)]
    for value in known:
        if known.count(value) > 1:
            raise InvalidSettingError(f"{field} has {value!r} {known.count(value)} times. Give it once.")
    return known


def require_one_region(arns: Mapping[str, Sequence[object]]) -> None:
    """ARNs of one region and partition, by what names them; those that are not known yet are not checked.

    Raises:
        InvalidSettingError: a function calls only the endpoints of its own region, so it would never reach one.
    """
    places = [
        (each, field, arn)
        for field, given in arns.items()
        for arn in given
        if isinstance(arn, str) and (each := _place(arn))
    ]
    for place, field, arn in places:
        if place != places[0][0]:
            raise InvalidSettingError(
                f"{field} has {arn!r} of {place[1]}, and {places[0][1]} has {places[0][2]!r} of {places[0][0][1]}. "
                "Give those of one region and partition: neither a function nor an alarm reaches another."
            )


def require_topics(topic_arns: object) -> Sequence[str]:
    """ARNs of SNS topics of one region, each once.

    Raises:
        InvalidSettingError: an alarm would tell nobody, or somebody twice.
    """
    arns = [
        require_arn("alarm_topic_arns", arn, service="sns", wanted="ARNs of SNS topics")
        for arn in require_list("alarm_topic_arns", topic_arns)
    ]
    require_one_region({"alarm_topic_arns": arns})
    return require_different("alarm_topic_arns", arns)


def _place(arn: str) -> tuple[str, str] | None:
    """Partition and region; none for `*` and for what belongs to no region."""
    parts = arn.split(":")
    return (parts[1], parts[3]) if len(parts) > 5 and parts[3] else None  # noqa: PLR2004 an ARN has six parts
