"""What the process tells a script by its exit code; a signal's code comes from `outbox_cli.entry`."""

DONE, CHECK_FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
