"""The one command line: `bookblend GROUP COMMAND …`, a group per stage folder.

Only the group that is asked for is imported, so `bookblend --help` starts in a fraction of a second.
Results go to stdout, talk and errors to stderr; an error a user can cause is one line and a non-zero status.
"""

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

from bookblend import __version__
from bookblend.command import Command
from bookblend.errors import BookblendError, ExitCode, one_line

GROUPS = {
    "extract": "PDF and EPUB files into structured markdown",
    "clean": "repair markdown in place, with a ledger of what was dropped",
    "build": "markdown into raw text and JSONL records",
    "convert": "tables, chat sets and JSONL into records; a shuffle for files of any size",
    "blend": "sources into documents, blends and token arrays",
    "books": "the whole way from a book file to records; recipes; inspection",
}


def main(argv: list[str] | None = None) -> int:
    """Run one command line (default: the process's) and return its exit status."""
    words = sys.argv[1:] if argv is None else argv
    _open_streams()
    _speak_any_script()
    # Threads for linear algebra, of which there is none here, make half of the time that numpy takes to be imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        return _dispatch(words)
    except BookblendError as error:
        print("bookblend: " + "\\n".join(str(error).splitlines()), file=sys.stderr)  # names may hold line ends
        return int(error.code)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): not an error of ours, nothing left to say to it.
        sys.stderr.close()
        return int(ExitCode.FAILED)
    except KeyboardInterrupt:
        print("bookblend: interrupted; nothing was replaced", file=sys.stderr)
        return int(ExitCode.INTERRUPTED)
    except OSError as error:
        print(f"bookblend: {one_line(error)}", file=sys.stderr)
        return int(ExitCode.FAILED)


def _open_streams() -> None:
    """Give a process that was started with closed standard streams (`2>&-`) ones that lead nowhere.

    Else the next file it opens takes their number, and what a C library says there would go into that file.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (stays open)


def _speak_any_script() -> None:
    """Let titles of any script through a terminal or pipe of a narrower encoding, as escapes, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(_overview())
        return int(ExitCode.DONE) if words else int(ExitCode.USAGE)
    if words[0] in ("-V", "--version"):
        print(f"bookblend {__version__}")
        return int(ExitCode.DONE)
    group, *rest = words
    if group not in GROUPS:
        print(f"bookblend: no group '{group}'; the groups are {', '.join(GROUPS)}", file=sys.stderr)
        return int(ExitCode.USAGE)
    commands = load_group(group)
    if not rest or rest[0] in ("-h", "--help"):
        print(_group_overview(group, commands))
        return int(ExitCode.DONE) if rest else int(ExitCode.USAGE)
    name, *arguments = rest
    command = next((c for c in commands if c.name == name), None)
    if command is None:
        names = ", ".join(c.name for c in commands)
        print(f"bookblend: no command '{group} {name}'; there are {names}", file=sys.stderr)
        return int(ExitCode.USAGE)
    parser = command_parser(group, command)
    if not arguments:
        parser.print_help()
        return int(ExitCode.USAGE)
    try:
        parsed = parser.parse_args(arguments)
    except SystemExit as stop:  # argparse has said why on stderr
        return int(stop.code or 0)
    return command.run(parsed)


def load_group(group: str) -> tuple[Command, ...]:
    """Import one group's `commands` module and return its subcommands."""
    commands: tuple[Command, ...] = import_module(f"bookblend.{group}.commands").COMMANDS
    return commands


def command_parser(group: str, command: Command) -> ArgumentParser:
    """The argument parser of one subcommand, its example in the epilogue."""
    parser = ArgumentParser(
        prog=f"bookblend {group} {command.name}",
        description=command.summary,
        epilog=f"example:\n  {command.example}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.configure(parser)
    return parser


def _overview() -> str:
    rows = "\n".join(f"  {name:<10}{text}" for name, text in GROUPS.items())
    return (
        "usage: bookblend GROUP COMMAND [arguments]\n\n"
        "Turn books into clean records that language models train on.\n\n"
        f"groups:\n{rows}\n\n"
        "`bookblend GROUP` lists a group's commands; `bookblend GROUP COMMAND --help` explains one.\n\n"
        "example:\n  bookblend books onboard book.epub out.jsonl --start 'Chapter 1' --end Index --expect 12"
    )


def _group_overview(group: str, commands: tuple[Command, ...]) -> str:
    rows = "\n".join(f"  {c.name:<12}{c.summary}" for c in commands)
    return (
        f"usage: bookblend {group} COMMAND [arguments]\n\n{GROUPS[group]}\n\n"
        f"commands:\n{rows}\n\nexample:\n  {commands[0].example}"
    )
