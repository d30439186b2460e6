"""Typed reading of TOML files; every error carries the path into the file: `x.toml: sources[3].share: must be …`."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from bookblend.errors import InputError

# Larger numbers are mistakes; floating point holds all below exactly.
_MOST = 10**15


def read_toml(path: Path, what: str) -> "TomlTable":
    """The whole file as one table; `what` it should be names it in errors. Raises `InputError`."""
    if not path.is_file():
        raise InputError(f"{path}: no such {what}")
    try:
        return TomlTable(tomllib.loads(path.read_text("utf-8-sig")), str(path))
    except RecursionError as error:
        raise InputError(f"{path}: not a TOML file we read: it is nested too deep") from error
    except ValueError as error:  # of TOML, of UTF-8, and numbers of thousands of digits
        raise InputError(f"{path}: not a TOML file: {error}") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


class TomlTable:
    """One table that knows where it stands and which keys were asked for."""

    def __init__(self, raw: Mapping[str, Any], file: str, path: str = "") -> None:
        self._raw = raw
        self._file = file
        self._path = path
        self._known: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return self._raw.get(key) is not None

    def require(self, *keys: str) -> None:
        """Refuse a table without these keys, naming all that it lacks."""
        missing = [key for key in keys if key not in self]
        if missing:
            raise self.error(", ".join(missing), "is missing" if len(missing) == 1 else "are missing")

    def text(self, key: str) -> str:
        """A required string that is not empty."""
        value = self.maybe_text(key)
        if not value:
            raise self.error(key, "is missing" if value is None else "must not be empty")
        return value

    def maybe_text(self, key: str) -> str | None:
        """A string, or None where the key is absent."""
        return cast("str | None", self._typed(key, lambda value: isinstance(value, str), "a string"))

    def choice(self, key: str, choices: tuple[str, ...], default: str) -> str:
        """One of some words."""
        value = self.maybe_text(key)
        if value is not None and value not in choices:
            raise self.error(key, f"must be {' or '.join(choices)}")
        return default if value is None else value

    def count(self, key: str) -> int | None:
        """A whole number from 1, or None where the key is absent."""
        value = self.whole(key)
        if value is not None and value < 1:
            raise self.error(key, f"must be 1 or more, is {value}")
        return value

    def whole(self, key: str) -> int | None:
        """A whole number of at most 15 digits, or None where the key is absent."""
        value = self._typed(key, lambda value: isinstance(value, int) and not isinstance(value, bool), "a whole number")
        if value is not None and abs(value) >= _MOST:
            raise self.error(key, f"must be between -{_MOST:,} and {_MOST:,}")
        return cast("int | None", value)

    def number(self, key: str) -> float | None:
        """A finite number, or None where the key is absent."""
        fits = lambda value: isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300  # noqa: E731
        return cast("float | None", self._typed(key, fits, "a number"))

    def flag(self, key: str, default: bool) -> bool:
        """A boolean."""
        value = self._typed(key, lambda value: isinstance(value, bool), "true or false")
        return default if value is None else cast("bool", value)

    def table(self, key: str) -> "TomlTable | None":
        """A table inside this one, or None where the key is absent."""
        raw = self._typed(key, lambda value: isinstance(value, dict), "a table")
        return None if raw is None else TomlTable(raw, self._file, self._join(key))

    def tables(self, key: str) -> list["TomlTable"]:
        """A list of tables; none where the key is absent."""
        raws = self._typed(
            key, lambda value: isinstance(value, list) and all(isinstance(v, dict) for v in value), "a list of tables"
        )
        return [TomlTable(raw, self._file, self._join(f"{key}[{i}]")) for i, raw in enumerate(raws or ())]

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; none where the key is absent."""
        value = self._typed(
            key, lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value), "a list of strings"
        )
        return tuple(value or ())

    def one_or_more(self, key: str) -> tuple[str, ...]:
        """A string or a list of strings, as a list; none where the key is absent."""
        if isinstance(self._raw.get(key), str):
            return (self.text(key),)
        return self.texts(key)

    def error(self, key: str, problem: str) -> InputError:
        """The error for one key."""
        return InputError(f"{self._file}: {self._join(key)}: {problem}")

    def finish(self) -> None:
        """Refuse keys nobody asked for: a misspelt one would be silently without effect."""
        self.refuse_others(self._known)

    def refuse_others(self, known: Iterable[str]) -> None:
        """Refuse keys that are none of the `known` ones."""
        for key in self._raw:
            if key not in known:
                raise self.error(key, f"unknown key; there are {', '.join(sorted(known))}")

    def _join(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def _typed(self, key: str, fits: Callable[[Any], bool], what: str) -> Any:
        self._known.add(key)
        value = self._raw.get(key)
        if value is not None and not fits(value):
            raise self.error(key, f"must be {what}")
        return value
