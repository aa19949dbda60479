"""How many events a second one core simulates, from the command to the total, without faults and under them.

Processor time, so that what else the machine does plays no part; the clock shows the same on an idle core.
"""

import gc
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from tools.benchmarks.paired import Document, Samples
from tools.soak.run import ROUND_EVENTS, Round

MODES = {"calm": True, "under_faults": False}


def measure(rounds: int) -> Samples:
    """Events per second of each round, by mode.

    Raises:
        RuntimeError: A round lost an event or counted one twice.
    """
    samples: Samples = {mode: [] for mode in MODES}
    for seed in range(rounds):
        for mode, is_calm in MODES.items():
            samples[mode].append(_events_per_second(seed, is_calm=is_calm))
    return samples


def figures(taken: Samples) -> Document:
    """Medians of both modes."""
    return {
        "simulation_events_per_second": median(taken["calm"]),
        "simulation_events_per_second_under_faults": median(taken["under_faults"]),
    }


def _events_per_second(seed: int, *, is_calm: bool) -> float:
    with _as_the_soak_runs():
        begun = time.process_time()
        result = Round(ROUND_EVENTS, seed, is_calm=is_calm).run()
        seconds = time.process_time() - begun
    if result.lost or result.doubled:
        raise RuntimeError(f"Round {seed} lost {result.lost} events and doubled {result.doubled}.")
    return result.events / seconds


@contextmanager
def _as_the_soak_runs() -> Iterator[None]:
    """No search for garbage, since what a round allocates lives until its end; no word of what faults give up."""
    logger = logging.getLogger("outbox_local.event_sources")
    level = logger.level
    logger.setLevel(logging.ERROR)
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        logger.setLevel(level)
