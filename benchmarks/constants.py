"""The numbers that the PDF reader names, found in its sources, and the reader with one of them moved.

A threshold is a number (or a tuple of numbers, each of which moves alone) that a module names on its top level; the
reason is the comment beside the name, else the one right above it. Names that take part in `&`, `|` and shifts are bits
or codes, and no thresholds.
"""

import ast
import importlib
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import bookblend.clean
import bookblend.extract

# What values are multiplied with: first further than any other taste would set them, then a good step.
FAR, NEAR = (0.5, 2.0), (0.7, 1.3)


@dataclass(frozen=True, slots=True)
class Constant:
    """A named number; `item` is its place where the name holds a tuple."""

    module: str
    name: str
    value: float
    reason: str
    item: int | None = None

    @property
    def label(self) -> str:
        return self.name if self.item is None else f"{self.name}[{self.item}]"

    def moved(self, factor: float) -> float:
        """The value times a factor: an integer goes by at least 1; what would pass 1 has its distance to it divided."""
        value = self.value * factor
        if isinstance(self.value, int):
            return min(self.value - 1, round(value)) if factor < 1 else max(self.value + 1, round(value))
        if self.value < 1 <= value:
            value = 1 - (1 - self.value) / factor
        return float(f"{value:.3g}")


# The constants.


def find_constants() -> list[Constant]:
    """The thresholds of the PDF reader and of the hyphens' evidence, in the order of modules and lines."""
    extract, clean = Path(str(bookblend.extract.__file__)).parent, Path(str(bookblend.clean.__file__)).parent
    files = [*sorted(extract.glob("pdf*.py")), clean / "hyphens.py", clean / "vocabulary.py"]
    names = [f"bookblend.{path.parent.name}.{path.stem}" for path in files]
    return [constant for module in names for constant in _constants(module)]


def _constants(module: str) -> Iterator[Constant]:
    lines, bits = _source(module).split("\n"), set(_bits(_tree(module)))
    for node in _tree(module).body:
        if not isinstance(node, ast.Assign) or not _is_plain(node.value):
            continue
        for target in node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets:
            if not isinstance(target, ast.Name) or not target.id.isupper() or target.id in bits:
                continue
            value = getattr(importlib.import_module(module), target.id)
            reason = _reason(lines, node.lineno - 1)
            for item, number in enumerate(value) if isinstance(value, tuple) else [(None, value)]:
                yield Constant(module, target.id, number, reason, item)


def _is_plain(node: ast.expr | None) -> bool:
    """A number, a sum of plain ones, or a tuple of them."""
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(map(_is_plain, node.elts))
    if isinstance(node, ast.BinOp):
        return _is_plain(node.left) and _is_plain(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _reason(lines: Sequence[str], index: int) -> str:
    if "#" in lines[index]:
        return lines[index].split("#", 1)[1].strip()
    start = index
    while start and lines[start - 1].startswith("#"):
        start -= 1
    return " ".join(line.lstrip("# ") for line in lines[start:index])


_BIT_WISE = (ast.BitAnd, ast.BitOr, ast.LShift, ast.RShift)


def _bits(tree: ast.Module) -> Iterator[str]:
    """Names that are combined as bits, and those whose value is so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, _BIT_WISE):
            yield from (part.id for part in (node.left, node.right) if isinstance(part, ast.Name))
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _source(module: str) -> str:
    return Path(str(importlib.import_module(module).__file__)).read_text("utf-8")


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_source(module))


# Moving one.


@contextmanager
def moved(constant: Constant, value: float) -> Iterator[None]:
    """The constant at another value: in its module, where it is imported, and in what is made of it on import."""
    for package in (bookblend.extract, bookblend.clean):  # none may be loaded first, and keep it, while it is moved
        for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(info.name)
    whole: Any = value
    if constant.item is not None:
        old = getattr(importlib.import_module(constant.module), constant.name)
        whole = (*old[: constant.item], value, *old[constant.item + 1 :])
    with ExitStack() as undo:
        touched: list[ModuleType] = []
        undo.callback(_clear, touched)
        _spread(constant.module, {constant.name: whole}, undo, touched)
        _clear(touched)
        yield


def _spread(name: str, values: dict[str, Any], undo: ExitStack, touched: list[ModuleType]) -> None:
    module = sys.modules[name]
    touched.append(module)
    for key, value in values.items():
        _set(module, key, value, undo)
    changed = set(values)
    for node in _tree(name).body:
        if isinstance(node, ast.Assign) and _names(node.value) & changed:
            made = eval(compile(ast.Expression(node.value), name, "eval"), vars(module))
            for target in node.targets:
                if isinstance(target, ast.Name):
                    _set(module, target.id, made, undo)
                    changed.add(target.id)
        elif isinstance(node, ast.FunctionDef) and any(_names(given) & changed for given in node.args.defaults):
            made = tuple(
                eval(compile(ast.Expression(given), name, "eval"), vars(module)) for given in node.args.defaults
            )
            _set(getattr(module, node.name), "__defaults__", made, undo)
    for other in sorted(key for key in sys.modules if key.startswith("bookblend.")):
        taken = {
            alias.asname or alias.name: getattr(module, alias.name)
            for node in _tree(other).body
            if isinstance(node, ast.ImportFrom) and node.module == name
            for alias in node.names
            if alias.name in changed
        }
        if taken:
            _spread(other, taken, undo, touched)


def _names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _set(place: Any, name: str, value: Any, undo: ExitStack) -> None:
    undo.callback(setattr, place, name, getattr(place, name))
    setattr(place, name, value)


def _clear(touched: Sequence[ModuleType]) -> None:
    """What functions of these modules remember may hang on the value."""
    for module in touched:
        for function in vars(module).values():
            if hasattr(function, "cache_clear") and function.__module__ == module.__name__:
                function.cache_clear()
