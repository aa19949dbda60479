"""An independent judge of policy documents: parliament."""

import re
import warnings

# parliament imports pkg_resources, leaves its files open and has texts with stray backslashes.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from parliament import analyze_policy_string

PARTITIONS = ("aws", "aws-cn", "aws-us-gov")


def findings(document: str) -> list[str]:
    # parliament takes each colon for a part of the ARN, and a stream's label is a time: 2026-09-05T12:00:00.000.
    without_times = re.sub(r"(T\d\d):(\d\d):(\d\d)", r"\1-\2-\3", document)
    return [str(found) for found in analyze_policy_string(without_times).findings]
