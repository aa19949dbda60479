"""Errors of the local AWS, each one sentence with the next step."""


class LocalAwsError(Exception):
    """Raised when the local AWS cannot do what was asked; the message is for the person at the terminal."""


class EmulatorNotReadyError(LocalAwsError):
    """Raised when the emulator process ends, or does not answer, while it should start."""


class PortInUseError(LocalAwsError):
    """Raised when the asked port of the loopback address belongs to another process."""


class UnsupportedResourceError(LocalAwsError):
    """Raised when a program registers a resource type, or a property, that is not built here yet."""


class ProgramError(LocalAwsError):
    """Raised when the Pulumi program itself refuses its configuration or fails."""


class DeploymentError(LocalAwsError):
    """Raised when the emulator refuses a resource; names the resource and the refusal."""
