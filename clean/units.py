"""Words that name a unit of a book, in the languages books most often come in: "Chapter", "Teil", "глава", "第三回"."""

import re

from bookblend.clean.wordlist import words

UNITS = tuple(
    sorted(
        words(
            "chapter part book section volume canto act scene letter stave appendix prologue epilogue preface foreword "
            "introduction chapitre partie livre tome acte scène annexe kapitel teil buch band abschnitt akt szene "
            "anhang vorwort capítulo parte libro tomo acto escena capitolo atto scena livro ato cena hoofdstuk deel "
            "boek afdeling bijlage глава часть книга том раздел действие del bok kapitola část kniha díl rozdział "
            "część księga tom fejezet rész könyv luku osa kirja bölüm kısım kitap capitol partea cartea caput liber "
            "pars κεφάλαιο μέρος βιβλίο الفصل الباب الجزء الكتاب פרק חלק ספר अध्याय खण्ड bab bagian chương phần"
        )
    )
)
_UNIT_WORDS = frozenset(UNITS)
# 第三回, 第1章, 제2장, 卷四: number and unit in one word.
_NUMBERED = re.compile("[第제].{1,8}[章回卷部節节編编篇話话幕장부권편]|卷.{1,4}$")
# The unit stands at the line's start ("CHAPTER IV") or after its ordinal ("The Third Book", "Zweiter Teil").
_PLACES = 3
_REACH = 80
_MARKS = ".,:;-–—[]()«»“”\"'*_"


def names_unit(line: str) -> bool:
    """Whether a line names a unit among its first words."""
    head = line.strip()[:_REACH]
    first = head.lower().split()[:_PLACES]
    return any(word.strip(_MARKS) in _UNIT_WORDS for word in first) or bool(_NUMBERED.match(head))
