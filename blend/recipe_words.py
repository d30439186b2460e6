"""The words of the command line that every stage of a blend has; imports nothing heavy."""

from argparse import ArgumentParser


def add_recipe(parser: ArgumentParser, sources: bool = True) -> None:
    """The words that every stage has."""
    parser.add_argument("recipe", metavar="RECIPE.toml", help="the blend's recipe")
    parser.add_argument(
        "--folder", metavar="DIR", help="where the blend is made (default: NAME.blend beside the recipe)"
    )
    if sources:
        parser.add_argument(
            "--source", metavar="NAME", action="append", default=[], help="only this source; may be repeated"
        )
