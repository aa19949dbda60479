"""`python -m tools.soak --events N`: last line a JSON object, exit code 1 unless nothing was lost or doubled.

The line before it tells how many events one core simulated in a second of its own time, command to total.
"""

import argparse
import gc
import json
import logging
import sys
import time

from tools.soak.run import ROUND_EVENTS, Round

MILLION = 1_000_000


def main() -> int:
    """Run the rounds and say what came of them."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.soak", description="Very many events under faults."
    )
    parser.add_argument("--events", type=_positive, default=MILLION, help="how many (default: one million)")
    parser.add_argument(
        "--seed", type=int, default=0, help="of the faults (default: 0); a run repeats exactly"
    )
    parser.add_argument(
        "--calm", action="store_true", help="without faults: how fast the simulation itself is"
    )
    arguments = parser.parse_args()
    started, started_at_cpu_seconds = time.monotonic(), time.process_time()
    done = lost = doubled = 0
    while done < arguments.events:
        result = Round(
            min(ROUND_EVENTS, arguments.events - done),
            arguments.seed + done // ROUND_EVENTS,
            is_calm=arguments.calm,
        ).run()
        gc.collect()
        done, lost, doubled = done + result.events, lost + result.lost, doubled + result.doubled
        rate = done / (time.monotonic() - started)
        sys.stderr.write(f"{done:,} events, {lost} lost, {doubled} doubled, {rate:,.0f} events/s\n")
    seconds = round(time.monotonic() - started, 1)
    per_cpu_second = done / (time.process_time() - started_at_cpu_seconds)
    sys.stdout.write(f"{per_cpu_second:,.0f} events per CPU second\n")
    sys.stdout.write(
        json.dumps({"events": done, "lost": lost, "doubled": doubled, "seconds": seconds}) + "\n"
    )
    return int(bool(lost or doubled))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is no number of events: give 1 or more")
    return number


if __name__ == "__main__":
    # What a round allocates lives until its end: looking for garbage in between finds none.
    gc.disable()
    # What the event sources give up is part of the faults; the counts in the end say whether it was recovered.
    logging.getLogger("outbox_local.event_sources").setLevel(logging.ERROR)
    sys.exit(main())
