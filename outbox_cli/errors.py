"""Errors of the operator's verbs, each one sentence with the next step."""


class OperatorError(Exception):
    """Raised when a verb cannot do what was asked; the message is for the person at the terminal."""


class WrongUseError(OperatorError):
    """Raised when what was typed can never be done; nothing was changed."""


class StoppedError(OperatorError):
    """Raised when somebody stopped a verb in the middle; the message says how far it had come."""


class AnswerNotWrittenError(OperatorError):
    """Raised when standard output takes no more: it is closed, full, or nobody reads it any more."""


class RefusedOrderError(OperatorError):
    """Raised when the command refuses an order; carries the command's own sentence."""


class StackUnavailableError(WrongUseError):
    """Raised when a stack's outputs cannot be read, or lack one that a verb needs."""
