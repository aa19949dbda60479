"""Exit codes of the command line; a signal's code comes from `outbox_cli.entry`."""

DONE, CHECK_FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
