"""The shape of one subcommand, and how a group hands its subcommands to the command line.

A group is a stage folder with a module `commands` that holds `COMMANDS: tuple[Command, ...]`. That module must
import in milliseconds: heavy libraries (PyMuPDF, lxml, pyarrow, tokenizers) load inside `run`.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One subcommand. `run` returns the exit status and raises `BookblendError` for what a user can cause."""

    name: str
    summary: str
    example: str
    configure: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
