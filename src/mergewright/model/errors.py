"""Exceptions for misuse and the outside world. "Cannot resolve" is a value, never one of these."""

from __future__ import annotations


class MergewrightError(Exception):
    """Base of all errors that a user can mend.

    Args:
        message: What is wrong, one or more sentences.
        hint: What to do about it, kept apart from the message.
    """

    #: Exit status of the command when this error ends it.
    exit_status = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class RepositoryError(MergewrightError):
    """The repository, or what is asked of it, is not in a state to work on."""


class RuleFileError(MergewrightError):
    """A rule file cannot be used; the message starts with ``file:line:column``."""


class UsageError(MergewrightError):
    """The call's arguments do not fit together."""
