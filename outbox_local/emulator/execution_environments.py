"""Lets an invocation end with the configuration it began with, and the next one begin with the function's own.

ministack 1.5.33 ends the processes of a function that is changed, those in the middle of an invocation too. An
invocation that read the configuration before the change and takes an environment after it starts one with the
old variables, which then stays in use. On AWS a change reaches every invocation that begins after it, and
interrupts none. https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
"""

from collections.abc import Iterable

from ministack.core import lambda_runtime
from ministack.core.lambda_runtime import Worker
from ministack.services import lambda_svc

_end = lambda_runtime.kill_workers


def install() -> None:
    """Replaces the emulator's ending of environments, and its return of one after an invocation."""
    lambda_runtime.kill_workers = end_idle
    lambda_svc.release_worker = release


def end_idle(environments: Iterable[Worker]) -> None:
    """Ends those that run no invocation; the others end when they are released."""
    _end([each for each in environments if not each.in_use])


def release(environment: Worker | None) -> None:
    """Keeps an environment for the next invocation, or ends it where its function was changed or is gone."""
    if environment is None:
        return
    with lambda_runtime._lock:
        pools = [pool for pool in lambda_runtime._workers.values() if environment in pool]
        is_kept = bool(pools) and _is_of_current_revision(environment)
        if not is_kept:
            for pool in pools:
                pool.remove(environment)
        environment.in_use = False
    if not is_kept:
        _end([environment])


def _is_of_current_revision(environment: Worker) -> bool:
    """A change of code or configuration gives the function another revision."""
    began_with = environment.config
    _, current = lambda_svc._get_func_record_for_qualifier(environment.func_name, began_with.get("Version"))
    return current is not None and current["RevisionId"] == began_with["RevisionId"]
