"""Texts in one form: "\\n" ends, no blanks at line ends, one blank line where there were more, no byte order marks.

The work is done on UTF-8, whose lines C code parts and joins faster than those of text beyond ASCII; the functions on
`str` are the same rules. (One pass by `splitlines` takes 1.6 ms a megabyte; replacing CRLF alone takes 1.9.)
"""

from io import IncrementalNewlineDecoder

# What counts as blank at a line's end: those that `bytes.rstrip` takes off, the no-break and the ideographic space.
_BLANKS = " \t\x0b\x0c\xa0\u3000"
_NARROW_BLANKS = (b" ", b"\t", b"\x0b", b"\x0c")
_WIDE_BLANKS = ("\xa0".encode(), "\u3000".encode())
_MARK = "\ufeff".encode()
DOS_END = b"\x1a"
# A DOS file's end stands in so many of the last bytes, and so does all that a damaged disk left behind it.
_TAIL = 1024
# So much of a text tells that it is not blank all through.
_HEAD = 64


def to_utf8(text: str) -> bytes:
    """Text as UTF-8; halves of surrogate pairs, which JSON can hold, are kept."""
    return text.encode("utf-8", "surrogatepass")


def from_utf8(data: bytes) -> str:
    """What `to_utf8` was given."""
    return data.decode("utf-8", "surrogatepass")


def normalise(text: str) -> str:
    """The text in the form that all documents have; blank lines at its ends go."""
    return from_utf8(normalise_utf8(to_utf8(text)))


def normalise_utf8(data: bytes) -> bytes:
    """The same of UTF-8."""
    data = _without_marks(data)
    if DOS_END in data[-_TAIL:]:
        data = to_utf8(from_utf8(data).rstrip("\x1a\r\n" + _BLANKS))
    return one_blank_line(_without_blanks(data))


def one_blank_line(data: bytes) -> bytes:
    """UTF-8 with one blank line where there were more, and none at its ends; blanks alone are no text."""
    pieces = [piece.lstrip(b"\n") for piece in data.split(b"\n\n\n")]
    data = b"\n\n".join([piece for piece in pieces if piece]).strip(b"\n")
    return b"" if is_blank(data) else data


def is_blank(data: bytes) -> bool:
    """Whether UTF-8 holds white space alone, of any kind that Unicode knows; nothing at all is not blank."""
    return data[:_HEAD].decode("utf-8", "ignore").isspace() and from_utf8(data).isspace()


def line_ends(text: str) -> str:
    """The text with "\\n" ends and without byte order marks."""
    return from_utf8(line_ends_utf8(to_utf8(text)))


def line_ends_utf8(data: bytes) -> bytes:
    """The same of UTF-8."""
    data = _without_marks(data)
    if b"\r" not in data:
        return data
    # (Latin-1 is a byte a sign, whatever the bytes mean.)
    return IncrementalNewlineDecoder(None, translate=True).decode(data.decode("latin-1"), True).encode("latin-1")


def _without_marks(data: bytes) -> bytes:
    # (One byte is looked for ten times as fast as three.)
    return data.replace(_MARK, b"") if _MARK[:1] in data else data


def _without_blanks(data: bytes) -> bytes:
    """UTF-8 with "\\n" ends and without blanks at them."""
    if b"\r" in data or any(blank in data and blank + b"\n" in data for blank in _NARROW_BLANKS):
        # (`bytes.splitlines` parts at CR, LF and CRLF and at nothing else.)
        data = b"\n".join(map(bytes.rstrip, data.splitlines()))
    data = data.rstrip()
    for blank in _WIDE_BLANKS:
        if blank[:1] in data and (blank + b"\n" in data or data.endswith(blank)):
            return to_utf8("\n".join([line.rstrip(_BLANKS) for line in from_utf8(data).split("\n")]))
    return data
