"""`bookblend blend encode`: documents as JSONL into token arrays."""

import re
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from bookblend.command import Command
from bookblend.errors import BookblendError, UsageError
from bookblend.talk import counted, say, warn


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("inputs", metavar="IN.jsonl", nargs="+", help='records with a "text"; also .gz and .zst')
    parser.add_argument("--tokenizer", metavar="FILE", required=True, help="a Hugging Face tokenizer.json")
    parser.add_argument(
        "--eos", metavar="TOKEN", default="</s>", help="the token put behind each document (default: </s>)"
    )
    parser.add_argument("--out", metavar="FOLDER", required=True, help="where the arrays and manifest.json go")
    parser.add_argument("--role", metavar="NAME", default="train", help="names the files (default: train)")
    parser.add_argument(
        "--formats",
        metavar="LIST",
        default="npy",
        help="of npy, nanogpt, megatron, joined by commas (default: npy)",
    )
    parser.add_argument(
        "--dtype", choices=("uint16", "uint32"), help="of the ids (default: the smaller one that holds them)"
    )
    parser.add_argument(
        "--unknown-limit",
        metavar="RATE",
        type=float,
        default=0.01,
        help="part of the tokens that may be unknown to the tokenizer (default: 0.01)",
    )
    parser.add_argument(
        "--engine",
        choices=("auto", "tokenizers", "fastokens"),
        default="auto",
        help="the encoder; the ids are the same (default: the fast one where it gives those of tokenizers)",
    )
    parser.add_argument("--again", action="store_true", help="also where the arrays are there already")


def _run(arguments: Namespace) -> int:
    from bookblend.blend.encode import encode_files

    entry, notices = encode_files(_job(arguments))
    for notice in notices:
        warn(notice)
    if entry["unknown_tokens"]:
        warn(f"{entry['unknown_tokens']:,} tokens ({entry['unknown_rate']:.2%}) are unknown to this tokenizer")
    _say_counts(entry)
    return 0


def _job(arguments: Namespace) -> Any:
    from bookblend.blend.arrays import array_files, refuse_existing
    from bookblend.blend.encode import EncodeJob
    from bookblend.files import check_source

    out = Path(arguments.out)
    formats = tuple(name.strip() for name in arguments.formats.split(",") if name.strip())
    array_files(arguments.role, formats)
    if not re.fullmatch(r"\w[\w.-]*", arguments.role):
        raise UsageError(f"--role {arguments.role!r}: give a name of letters, digits, - and _")
    if not 0 <= arguments.unknown_limit <= 1:
        raise UsageError(f"--unknown-limit {arguments.unknown_limit}: give a rate from 0 to 1")
    inputs = tuple(map(Path, arguments.inputs))
    for path in (*inputs, Path(arguments.tokenizer)):
        check_source(path, may_be_empty=True)
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file; name a folder")
    if not arguments.again:
        refuse_existing(out, [arguments.role], formats)
    try:
        out.mkdir(exist_ok=True)
    except OSError as error:
        raise BookblendError(f"{out}: cannot be made ({error.strerror}); choose another output folder") from error
    return EncodeJob(
        inputs,
        Path(arguments.tokenizer),
        arguments.eos,
        out,
        arguments.role,
        formats,
        arguments.dtype,
        arguments.unknown_limit,
        arguments.engine,
    )


def _say_counts(entry: dict[str, Any]) -> None:
    rows = [
        ("documents", f"{entry['documents']:,}; empty ones skipped {entry['empty_documents_skipped']:,}"),
        ("tokens", f"{entry['tokens']:,}, the eos of each document included"),
        ("hold the eos", f"{counted(entry['documents_holding_eos_text'], 'document')}, encoded as plain text"),
        ("outputs", ", ".join(f"{made['file']} ({made['dtype']})" for made in entry["outputs"])),
    ]
    for name, text in rows:
        say(f"{name:<14}{text}")


ENCODE = Command(
    name="encode",
    summary="documents as JSONL into token arrays for numpy, nanoGPT and Megatron, with document offsets and hashes",
    example="bookblend blend encode train.jsonl --tokenizer tokenizer.json --eos '</s>' --out arrays",
    configure=_configure,
    run=_run,
)
