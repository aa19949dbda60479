"""How long a run of a function takes with the events it holds: waiting is assumed, computing is measured.

A run that holds one event takes CALL_MILLISECONDS and REQUEST_MILLISECONDS for each of its requests. Every further
event adds its own processor time, and to the consumer's transaction an action for DynamoDB to work on.
"""

from fractions import Fraction

FUNCTION_MEMORY_MEGABYTES = 256

# Assumed for a warm function of that memory: the handler itself, and each request it makes to DynamoDB or SQS.
CALL_MILLISECONDS = 48
REQUEST_MILLISECONDS = 20

# Assumed: what DynamoDB takes for an action of a transaction beyond the second. It documents no duration.
ACTION_MILLISECONDS = Fraction(1, 2)
ACTIONS_OF_A_REQUEST = 2

# Processor time of an event in a batch of 100 on a whole core: `cpu_microseconds_per_message.<function>.ours_100` of
# `make bench`, with a margin. It is a target there, so code that becomes slower than planned for is told.
RELAY_PROCESSOR_MICROSECONDS = 65
CONSUMER_PROCESSOR_MICROSECONDS = 75

# Lambda gives a function processor time by its memory. https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
MEGABYTES_OF_A_WHOLE_PROCESSOR = 1_769


def requests_milliseconds(requests: Fraction) -> Fraction:
    """A run with so many requests that holds one event."""
    return CALL_MILLISECONDS + REQUEST_MILLISECONDS * requests


def relay_processing_milliseconds(events: int) -> Fraction:
    """What a run of the relay takes longer for the events beyond its first."""
    return _computing(RELAY_PROCESSOR_MICROSECONDS, events)


def consumer_processing_milliseconds(events: int, *, transactions: Fraction, actions: Fraction) -> Fraction:
    """What a run of the consumer takes longer for the events beyond its first, and for what they write."""
    writing = transactions_milliseconds(transactions, actions) - REQUEST_MILLISECONDS * transactions
    return _computing(CONSUMER_PROCESSOR_MICROSECONDS, events) + writing


def transactions_milliseconds(transactions: Fraction, actions: Fraction) -> Fraction:
    """How long so many transactions take that have so many actions together; their items are locked meanwhile."""
    return REQUEST_MILLISECONDS * transactions + ACTION_MILLISECONDS * (
        actions - ACTIONS_OF_A_REQUEST * transactions
    )


def _computing(processor_microseconds: int, events: int) -> Fraction:
    share_of_processor = Fraction(FUNCTION_MEMORY_MEGABYTES, MEGABYTES_OF_A_WHOLE_PROCESSOR)
    return Fraction(processor_microseconds, 1_000) / share_of_processor * (events - 1)
