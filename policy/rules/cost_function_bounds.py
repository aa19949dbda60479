"""One invocation cannot cost much: timeout, memory and storage are bounded.

https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""

from contract import CONTRACTS, Contract
from pack.options import whole
from pack.resources import FUNCTION, Config, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack, purpose_of
from pack.values import UNKNOWN

FIX = "Lower it, or raise the bound in this rule's configuration."
NO_CONTRACT = Contract(rights=())


@stack_rule(
    name="cost-function-bounds",
    description="Timeout, memory and storage of functions are bounded.",
    remediation=FIX,
    options={
        "maximumTimeoutSeconds": whole(
            60, "Longest run of one invocation, where no contract allows a longer one.", minimum=1
        ),
        "maximumMemoryMegabytes": whole(
            1024, "Most memory of a function, where no contract allows more.", minimum=1
        ),
        "maximumStorageMegabytes": whole(
            512, "Most temporary storage; what is above 512 is billed.", minimum=1
        ),
    },
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge the bounds of each function; a contract that lets its purpose have more is heeded."""
    for function in stack.of(FUNCTION):
        contract = CONTRACTS.get(purpose_of(stack, function), NO_CONTRACT)
        # What Lambda sets by itself is below all of them.
        for path, most in (
            (("timeout",), max(config["maximumTimeoutSeconds"], contract.longest_run_seconds)),
            (("memorySize",), max(config["maximumMemoryMegabytes"], contract.most_memory_megabytes)),
            (("ephemeralStorage", "size"), config["maximumStorageMegabytes"]),
        ):
            value = function.get(*path)
            if value is UNKNOWN:
                yield function.pending(*path)
            elif (value or 0) > most:
                yield function.finding(
                    f"Function '{function.name}' must have {'.'.join(path)} of {most:g} at most; it is {value:g}. {FIX}"
                )
