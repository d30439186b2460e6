"""`bookblend blend tokenizer`: a byte-level BPE of JSONL records or text files, for `transformers` and for us."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from bookblend.command import Command
from bookblend.errors import UsageError
from bookblend.talk import say


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("inputs", metavar="IN", nargs="+", help='records with a "text" (.jsonl, .gz, .zst), or .txt')
    parser.add_argument("--out", metavar="FOLDER", required=True, help="tokenizer.json and its configuration go there")
    parser.add_argument("--vocabulary", metavar="N", type=int, default=32_000, help="ids in all (default: 32000)")
    parser.add_argument(
        "--eos", metavar="TOKEN", default="</s>", help="closes documents; </s> gets id 2 behind <unk> and <s> (default)"
    )
    parser.add_argument("--again", action="store_true", help="also where there is a tokenizer already")


def _run(arguments: Namespace) -> int:
    from bookblend.blend.tokenizer import TOKENIZER, train
    from bookblend.files import Outputs, check_source

    inputs, out = [Path(name) for name in arguments.inputs], Path(arguments.out)
    if not arguments.eos or arguments.eos != "".join(arguments.eos.split()):
        raise UsageError(f"--eos {arguments.eos!r}: give a text without blanks, such as </s> or <|endoftext|>")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file; name a folder")
    if (out / TOKENIZER).exists() and not arguments.again:
        raise UsageError(f"{out / TOKENIZER}: is there already; --again writes it anew")
    for path in inputs:
        check_source(path)
    trained = train(_texts(inputs), vocabulary=arguments.vocabulary, eos=arguments.eos)
    out.mkdir(exist_ok=True)
    with Outputs() as outputs:
        made = trained.save(out, outputs)
    if trained.vocabulary < arguments.vocabulary:
        say(f"the texts gave {trained.vocabulary:,} ids of {arguments.vocabulary:,}: no more pairs occur twice")
    say(f"{out}: {trained.vocabulary:,} ids, the eos {trained.eos} is {trained.eos_id}")
    print(f"{made[TOKENIZER]}  {TOKENIZER}")
    return 0


def _texts(inputs: list[Path]) -> Iterator[str]:
    from bookblend.blend.text_lines import read_texts
    from bookblend.sidecar import read_text

    for path in inputs:
        if path.suffix == ".txt":
            yield read_text(path)
        else:
            yield from (text for _, text in read_texts(path))


TOKENIZER_COMMAND = Command(
    name="tokenizer",
    summary="train a byte-level BPE on documents; the same documents give the same file",
    example="bookblend blend tokenizer train.jsonl --vocabulary 16000 --out tokenizer",
    configure=_configure,
    run=_run,
)
