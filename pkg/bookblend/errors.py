"""Errors a user can cause, and the exit status each one ends with.

The text of an error is one line for the user: what is wrong, where (file, page, line, record), what to do.
Anything that is no `BookblendError` and reaches the command line is a bug of ours and shows its traceback.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit status of every command; documented in docs/architecture.md."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    BAD_INPUT = 3
    EXPECTATION = 4
    SHORTFALL = 5
    VERIFICATION = 6
    INTERRUPTED = 130


class BookblendError(Exception):
    """Something could not be done; the message is the user's one line."""

    code = ExitCode.FAILED


def one_line(error: Exception) -> str:
    """What to tell the user of an error: our own line, or the system's with the file."""
    if isinstance(error, OSError):
        return f"{error.strerror or error}" + (f" ({error.filename})" if error.filename else "")
    return str(error)


class UsageError(BookblendError):
    """The command's words do not fit together."""

    code = ExitCode.USAGE


class InputError(BookblendError):
    """The input cannot be used as it is: unreadable, wrong kind, damaged, refused."""

    code = ExitCode.BAD_INPUT


class ExpectationError(BookblendError):
    """What was found is not what the user said must be there (anchor, pattern, record count)."""

    code = ExitCode.EXPECTATION


class NoRoomError(BookblendError):
    """The disk, or what the user may fill of it, is full."""


class VerificationError(BookblendError):
    """A product does not hold what its provenance says, or an invariant of ours is broken."""

    code = ExitCode.VERIFICATION
