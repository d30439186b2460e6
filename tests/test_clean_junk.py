"""The junk-line pass: noise goes, text of any script and kind stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend.clean.junk import rule

NOISE = r"""
~ .,;: 1|l ' ^
iiii lll ,, .
.. ,' ; |  _ ~~ =
||| I l 1 |  ' ''
, . ' " ;
^ ^ * ; : ,
1 l | I i ;
~~~~ ---- ..
tl ii l| ,;
. ' : ., *'■
\ / | \\ // |
rn m n ,
J l f i ; :
.;'• ,•» <; >
lI1| |1Il l1I
4 1 l ; 7 f
''^~ '-
© ® ~ ^
is 1 l ; i
c: -c .c,
tttt rrrr
nnn ttt nnn
"""

TEXT = """
Yes.
“Yes.”
‘Oh!’
"I—"
“A.B.C.?”
— Oui !
« Non »
O!
I.
He.
Go!
Hm.
Brrr!
Sh!
Mr. B.
12. Eels
1984
(1861)
£3 4s. 6d.
$8.40¾
the 12th
1850s
Eels | 12 | 14
Quorrin 8 31 3 9 2 2 .290
Tar............. 12
T. S. Marrable
Version PHP 5.3
Let x = 3.
x + y = z
x=((a+b))^2
f(x) = {a, b}
<item href="cover.xhtml" linear="no"/>
\\frac{a}{b}
Él.
Où?
Ça!
Łódź
Ångström
Krk
smrt
Здравствуй!
Да.
Ναι.
Ἄνδρα
はい
「はい。」
第三回
一
你好
नमस्ते
हाँ।
বাংলা
தமிழ்
ไทย
نعم
سلام،
כן
שָׁלוֹם
한국어
Chapter ~ ;
CHAPITRE |
Глава ~
Zweiter Teil ~ ;
***tar***
_Exeunt._
"""


@pytest.mark.parametrize("line", NOISE.strip().split("\n"))
def test_noise_goes(line: str) -> None:
    assert rule(line) == "noise" or rule(line) in ("separator", "initials", "number")


@pytest.mark.parametrize("line", TEXT.strip().split("\n"))
@pytest.mark.parametrize("numbers", ["drop", "keep"])
def test_text_stays(line: str, numbers: str) -> None:
    assert rule(line, "keep" if numbers == "keep" else "drop") == ""


# Lines of technical books whose tokens look like noise.
TECHNICAL = r"""
Bzr (Bazaar)
Svn (Subversion)
Mtn
Built-Using: gcc-4.6 (= 4.6.0-11)
ln -fs gcc $(prefix)/bin/cc
CFLAGS += -O2
    $(CC) @VERBOSE@ \
dh $@
fname () {
while [ "${1}" != "" ]; do
/var/log/foo/*.log {
hello.desktop (v=0.2)
$ sed -e "s,@X@,y," \
# umount /mnt
I: pkg="hello", ver="0.0"
"Content-Type: 8bit\n"
#, c-format
drwxr-xr-x root/root ... ./
|   `-- index.html
config.guess --+
0 = tar[i]
--binary-images hdd \
Oar | Xq | —
| vld | 12 | tar |
"""


@pytest.mark.parametrize("line", TECHNICAL.strip().split("\n"))
@pytest.mark.parametrize("numbers", ["drop", "keep"])
def test_names_program_text_and_rows_of_tables_stay(line: str, numbers: str) -> None:
    assert rule(line, "keep" if numbers == "keep" else "drop") == ""


@pytest.mark.parametrize(
    "line",
    [
        "0 = ∞,",
        "f(j)",
        "rnkzk",
        "j j k",
        "dpkg -l",
        "xhtml",
        "16 %:",
        "-o $@ $^",
        "}",
        "])",
        '"""',
        "“?”",
        "i2",
        'msgstr ""',
    ],
)
def test_in_a_text_that_no_ocr_engine_made_any_letter_figure_or_brace_stays(line: str) -> None:
    assert rule(line, "keep") == ""


@pytest.mark.parametrize("line", [line for line in NOISE.strip().split("\n") if any(map(str.isalnum, line))])
def test_what_is_noise_from_an_engine_stays_where_none_was(line: str) -> None:
    assert rule(line, "keep") == ""


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("\ufffd\ufffd d", "noise"),
        ("\uf8ee\uf8eb x \uf8f6", "noise"),
        ("\x01\x02 a", "noise"),
        ("\uf8f2 1 k=0 1", ""),
        ("and thus \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd", ""),
        ("\ufffd f(t) = ckt", ""),
        ("\uf8f0", "separator"),
        ("* * *", "separator"),
        ("❚❘❙❚❘❙", "separator"),
        ("•", "separator"),
        (". . . .", "separator"),
    ],
)
def test_signs_without_a_meaning_go_everywhere_and_separators_too(line: str, why: str) -> None:
    assert rule(line, "keep") == why


def test_a_word_without_a_vowel_is_asked_of_the_book_but_strokes_are_not() -> None:
    assert rule("dpkg calls:", known=lambda _: False) == "noise"
    assert rule("dpkg calls:", known=lambda word: word == "dpkg") == ""
    assert rule("lll tar", known=lambda _: True) == "noise"
    assert rule("nnn tar", known=lambda _: True) == "noise"


@pytest.mark.parametrize("line", ["| ~ | ^ tar", "tar | .,; | ^~ | rope", "1 | l"])
def test_bars_among_noise_make_no_row(line: str) -> None:
    assert rule(line) == "noise"


@pytest.mark.parametrize("line", ["12", "- 12 -", "xii", "XII", "[12]", "p. 12", "J. R.", "“E. M.”"])
def test_lines_of_numbers_and_initials_go_or_stay_as_asked(line: str) -> None:
    assert rule(line, "drop") in ("number", "initials")
    assert rule(line, "keep") == ""


@pytest.mark.parametrize(("line", "why"), [("* * *", "separator"), ("—", "separator"), ("J. R.", "initials")])
def test_separators_and_initials_are_named_as_such(line: str, why: str) -> None:
    assert rule(line) == why


def test_small_words_with_nothing_longer_are_asked_of_the_book() -> None:
    assert rule("ae ie os wn ,", known=lambda _: False) == "noise"
    assert rule("so we go on", known=lambda _: True) == ""
    assert rule("Où?", known=lambda _: False) == ""


def test_half_wordlike_is_not_enough() -> None:
    assert rule("tar ~~ rope ^^") == "noise"
    assert rule("tar ~~ rope") == ""


@given(st.lists(st.sampled_from(["tar", "rope,", "“Eels", "quay.”", "Marrable's", "well-known"]), min_size=1))
def test_a_line_of_words_never_goes(words: list[str]) -> None:
    assert rule(" ".join(words)) == ""


@given(st.text(max_size=30))
def test_any_line_gets_an_answer(line: str) -> None:
    assert rule(line) in ("", "noise", "number", "separator", "initials")
