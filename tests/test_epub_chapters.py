"""Which headings of an EPUB are its chapters."""

from pathlib import Path

import pytest
from epub_fixtures import chapter, headings, make, outline, page, prose, read, text

A, B, C = prose("Atide"), prose("Btide"), prose("Ctide")


def test_h1_is_the_tier_without_contents(tmp_path: Path) -> None:
    book = read(make(tmp_path / "b.epub", {"a.xhtml": chapter("One Oar", "A"), "b.xhtml": chapter("Two Oars", "B")}))
    assert headings(book) == ["One Oar", "Two Oars"]
    assert book.evidence["contents"] == "none"


def test_contents_name_chapters_at_h2_under_a_book_title_at_h1(tmp_path: Path) -> None:
    documents = {
        "a.xhtml": f"<h1>The Slack Tide</h1><h2 id='x'>One Oar</h2><p>{A}</p>",
        "b.xhtml": f"<h2>Two Oars</h2><p>{B}</p><h3>Aside</h3><p>{C}</p>",
        "c.xhtml": f"<h2>Three Oars</h2><p>{C}</p>",
    }
    contents = [("One Oar", "a.xhtml#x"), ("Two Oars", "b.xhtml"), ("Three Oars", "c.xhtml")]
    book = read(make(tmp_path / "b.epub", documents, contents=contents))
    assert headings(book) == ["One Oar", "Two Oars", "Three Oars"]
    assert headings(book, 2) == ["Aside"]
    assert book.evidence["chapters"] == "contents (nav)"


def test_h2_is_the_tier_of_one_file_with_the_title_at_h1(tmp_path: Path) -> None:
    body = "<h1>The Slack Tide</h1>" + "".join(f"<h2>{t}</h2><p>{prose(t)}</p>" for t in ("Ebb", "Neap", "Flood"))
    assert headings(read(make(tmp_path / "b.epub", {"all.xhtml": body}))) == ["Ebb", "Neap", "Flood"]


@pytest.mark.parametrize(
    "markup",
    [
        "<hgroup><h2>IV</h2><p>The Weir</p></hgroup>",
        "<header><p>IV</p><h2>The Weir</h2></header>",
        "<header><h2>IV</h2><p>The Weir</p></header>",
        "<hgroup><p>IV</p><h2>The Weir</h2></hgroup>",
        "<h2>IV</h2><h3>The Weir</h3>",
    ],
)
@pytest.mark.parametrize("label", ["IV: The Weir", "The Weir", "IV", "4. The Weir"])
def test_number_and_title_in_two_elements_are_one_heading(tmp_path: Path, markup: str, label: str) -> None:
    documents = {"a.xhtml": f"<h2>III</h2><p>{A}</p>", "b.xhtml": f"{markup}<p>{B}</p>"}
    book = read(make(tmp_path / "b.epub", documents, contents=[("III", "a.xhtml"), (label, "b.xhtml")]))
    assert headings(book) == ["III", "IV", "The Weir"]


def test_number_and_title_without_contents(tmp_path: Path) -> None:
    documents = {f"{n}.xhtml": f"<h1>Chapter {n}</h1><h2>Weir {n}x</h2><p>{A}</p>" for n in (1, 2, 3)}
    book = read(make(tmp_path / "b.epub", documents))
    assert headings(book) == ["Chapter 1", "Weir 1x", "Chapter 2", "Weir 2x", "Chapter 3", "Weir 3x"]


def test_a_number_behind_a_word_does_not_open_a_record_of_its_own(tmp_path: Path) -> None:
    documents = {f"{n}.xhtml": f"<hgroup><p>Chapter</p><h1>{n}</h1></hgroup><p>{A}</p>" for n in (1, 2)}
    book = read(make(tmp_path / "b.epub", documents, contents=[("Chapter 1", "1.xhtml"), ("Chapter 2", "2.xhtml")]))
    assert headings(book) == ["Chapter 1", "Chapter 2"]


def test_breaks_and_block_spans_in_a_heading_are_blanks(tmp_path: Path) -> None:
    head = "<style>.n, .t { display: block }</style>"
    documents = {
        "a.xhtml": page(f"<h1>IV<br/>THE WEIR</h1><p>{A}</p>", head=head),
        "b.xhtml": page(f"<h1><span class='n'>V</span><span class='t'>Of Eels</span></h1><p>{B}</p>", head=head),
        "c.xhtml": page(f"<h1><span>M</span><small>UD</small></h1><p>{C}</p>", head=head),
    }
    assert headings(read(make(tmp_path / "b.epub", documents))) == ["IV THE WEIR", "V Of Eels", "MUD"]


def test_styled_paragraphs_that_the_contents_point_at_become_headings(tmp_path: Path) -> None:
    def styled(n: int, title: str) -> str:
        return f"<p class='num' id='h{n}'>Chapter {n}</p><p class='ttl'>{title}</p><p>{prose(title + ' again')}</p>"

    documents = {"a.xhtml": styled(1, "Ebb"), "b.xhtml": styled(2, "Neap")}
    for labels in (("Chapter 1: Ebb", "Chapter 2: Neap"), ("Ebb", "Neap")):
        contents = [(labels[0], "a.xhtml#h1"), (labels[1], "b.xhtml#h2")]
        book = read(make(tmp_path / "b.epub", documents, contents=contents))
        assert headings(book) == ["Chapter 1", "Ebb", "Chapter 2", "Neap"]


def test_a_document_without_heading_gets_the_label_of_its_entry(tmp_path: Path) -> None:
    documents = {"a.xhtml": f"<p>{A}</p>", "b.xhtml": f"<p>{B}</p>"}
    book = read(make(tmp_path / "b.epub", documents, contents=[("Ebb", "a.xhtml"), ("Neap", "b.xhtml")]))
    assert outline(book) == ["# Ebb", A, "# Neap", B]
    assert "label" in next(block.evidence for block in book.blocks if block.level == 1)


def test_made_up_labels_are_no_headings(tmp_path: Path) -> None:
    documents = {"a.xhtml": f"<p>{A}</p>", "b.xhtml": f"<p>{B}</p>"}
    book = read(
        make(tmp_path / "b.epub", documents, contents=[("Start", "a.xhtml"), ("text_split_001.html", "b.xhtml")])
    )
    assert headings(book) == []


def test_a_picture_as_heading_gets_the_label_or_its_alternative_text(tmp_path: Path) -> None:
    documents = {
        "a.xhtml": f"<h1><img src='a.png' alt='ch1 title picture'/></h1><p>{A}</p>",
        "b.xhtml": f"<h1><img src='b.png' alt='Neap'/></h1><p>{B}</p>",
    }
    labelled = read(make(tmp_path / "b.epub", documents, contents=[("Ebb", "a.xhtml"), ("Neap", "b.xhtml")]))
    assert headings(labelled) == ["Ebb", "Neap"]
    assert headings(read(make(tmp_path / "c.epub", documents))) == ["ch1 title picture", "Neap"]


def test_parts_over_chapters(tmp_path: Path) -> None:
    documents = {
        "p1.xhtml": "<h1>Part One</h1>",
        "a.xhtml": f"<h2>Ebb</h2><p>{prose('A', 400)}</p><h3>Mud</h3><p>{A}</p>",
        "b.xhtml": f"<h2>Neap</h2><p>{prose('B', 400)}</p>",
        "p2.xhtml": "<h1>Part Two</h1>",
        "c.xhtml": f"<h2>Flood</h2><p>{prose('C', 400)}</p>",
    }
    below = [("Ebb", "a.xhtml", [("Mud", "a.xhtml#m")]), ("Neap", "b.xhtml")]
    contents = [("Part One", "p1.xhtml", below), ("Part Two", "p2.xhtml", [("Flood", "c.xhtml")])]
    book = read(make(tmp_path / "b.epub", documents, contents=contents))
    assert headings(book) == ["Part One", "Ebb", "Neap", "Part Two", "Flood"]
    assert headings(book, 2) == ["Mud"]


def test_sections_below_chapters_are_no_chapters(tmp_path: Path) -> None:
    def sections(title: str) -> str:
        parts = "".join(f"<h2 id='s{n}'>{title} {n}</h2><p>{prose(title, 200)}</p>" for n in (1, 2, 3))
        return f"<h1>{title}</h1>{parts}"

    documents = {"a.xhtml": sections("Ebb"), "b.xhtml": sections("Neap")}
    contents = [
        (t, f"{f}.xhtml", [(f"{t} {n}", f"{f}.xhtml#s{n}") for n in (1, 2, 3)])
        for t, f in (("Ebb", "a"), ("Neap", "b"))
    ]
    book = read(make(tmp_path / "b.epub", documents, contents=contents))
    assert headings(book) == ["Ebb", "Neap"]
    assert headings(book, 2) == ["Ebb 1", "Ebb 2", "Ebb 3", "Neap 1", "Neap 2", "Neap 3"]


def test_numbered_sections_in_files_of_their_own_are_no_chapters(tmp_path: Path) -> None:
    documents = {"t.xhtml": "<h1>The Slack Tide</h1>"}
    below = []
    for n in (1, 2):
        documents[f"c{n}.xhtml"] = f"<h1>Chapter {n}. Oars</h1><p>{prose('Intro', 100)}</p>"
        for m in (1, 2):
            documents[f"c{n}s{m}.xhtml"] = f"<h1>{n}.{m}. Thwarts</h1><p>{prose('Text', 900)}</p>"
        below.append((f"{n}. Oars", f"c{n}.xhtml", [(f"{n}.{m}. Thwarts", f"c{n}s{m}.xhtml") for m in (1, 2)]))
    book = read(make(tmp_path / "b.epub", documents, contents=[("The Slack Tide", "t.xhtml", below)], kind="ncx"))
    assert headings(book) == ["Chapter 1. Oars", "Chapter 2. Oars"]


def test_flat_contents_with_sections_in_mid_document(tmp_path: Path) -> None:
    documents = {
        f"{f}.xhtml": f"<h1>{t}</h1><p>{A}</p><h2 id='s'>More {t}</h2><p>{B}</p>"
        for f, t in (("a", "Ebb"), ("b", "Neap"), ("c", "Flood"), ("d", "Spring"))
    }
    contents = [("Ebb", "a.xhtml"), ("More Ebb", "a.xhtml#s"), ("Neap", "b.xhtml"), ("Flood", "c.xhtml")]
    book = read(make(tmp_path / "b.epub", documents, contents=[*contents, ("Spring", "d.xhtml")]))
    assert headings(book) == ["Ebb", "Neap", "Flood", "Spring"]


def test_a_chapter_over_several_files_is_one(tmp_path: Path) -> None:
    documents = {
        "a1.xhtml": f"<h1>Ebb</h1><p>{A}</p><p>He turned and said that the</p>",
        "a2.xhtml": f"<p>boat was gone.</p><p>{B}</p>",
        "b.xhtml": chapter("Neap", "C"),
    }
    book = read(make(tmp_path / "b.epub", documents, contents=[("Ebb", "a1.xhtml"), ("Neap", "b.xhtml")], kind="ncx"))
    assert headings(book) == ["Ebb", "Neap"]
    assert "He turned and said that the boat was gone." in outline(book)


def test_book_title_as_h1_of_every_file_is_a_running_title(tmp_path: Path) -> None:
    documents = {
        f"{n}.xhtml": f"<h1>The Slack Tide</h1><h2>{t}</h2><p>{prose(t)}</p>"
        for n, t in enumerate(("Ebb", "Neap", "Flood"))
    }
    for contents in ([], [(t, f"{n}.xhtml") for n, t in enumerate(("Ebb", "Neap", "Flood"))]):
        book = read(make(tmp_path / "b.epub", documents, contents=contents))
        assert headings(book) == ["Ebb", "Neap", "Flood"]
        assert "The Slack Tide" not in text(book)
        assert [entry.rule for entry in book.dropped] == ["running-title"] * 3


def test_an_unlisted_prologue_made_like_the_chapters_is_one(tmp_path: Path) -> None:
    documents = {"p.xhtml": chapter("Prologue", "P"), "a.xhtml": chapter("Ebb", "A"), "b.xhtml": chapter("Neap", "B")}
    book = read(make(tmp_path / "b.epub", documents, contents=[("Ebb", "a.xhtml"), ("Neap", "b.xhtml")]))
    assert headings(book) == ["Prologue", "Ebb", "Neap"]


def test_contents_of_one_entry_give_way_to_the_headings(tmp_path: Path) -> None:
    documents = {f"{n}.xhtml": chapter(f"Oar {n}x", "A") for n in range(4)}
    book = read(make(tmp_path / "b.epub", documents, contents=[("Start", "0.xhtml")], kind="ncx"))
    assert headings(book) == ["Oar 0x", "Oar 1x", "Oar 2x", "Oar 3x"]


def test_nav_wins_over_a_stale_ncx(tmp_path: Path) -> None:
    documents = {"a.xhtml": f"<p>{A}</p>"}
    path = make(
        tmp_path / "b.epub", documents, contents=[("Ebb", "a.xhtml")], more={"OEBPS/toc.ncx": "<ncx><navMap/></ncx>"}
    )
    assert headings(read(path)) == ["Ebb"]


def test_dangling_fragments_and_missing_targets_do_no_harm(tmp_path: Path) -> None:
    documents = {"a.xhtml": chapter("Ebb", "A"), "b.xhtml": chapter("Neap", "B")}
    contents = [("Ebb", "a.xhtml#nowhere"), ("Lost", "lost.xhtml"), ("Neap", "b.xhtml#top")]
    book = read(make(tmp_path / "b.epub", documents, contents=contents))
    assert headings(book) == ["Ebb", "Neap"]
    assert any("'Lost'" in warning for warning in book.warnings)


def test_a_heading_is_found_behind_an_anchor_and_an_epigraph(tmp_path: Path) -> None:
    documents = {
        "all.xhtml": f"<p><a id='c1'/></p><h2>Ebb</h2><p>{A}</p><div id='c2'/><p>Nothing is wetter. (Proverb)</p>"
        f"<h2>Neap</h2><p>{B}</p>"
    }
    book = read(make(tmp_path / "b.epub", documents, contents=[("Ebb", "all.xhtml#c1"), ("Neap", "all.xhtml#c2")]))
    assert headings(book) == ["Ebb", "Neap"]


def test_no_headings_and_no_contents_give_text_without_chapters(tmp_path: Path) -> None:
    book = read(make(tmp_path / "b.epub", {"a.xhtml": f"<p>{A}</p>", "b.xhtml": f"<p>{B}</p>"}))
    assert outline(book) == [A, B]
    assert book.evidence["chapter_headings"] == 0


def test_paragraphs_styled_as_titles_are_chapters_where_nothing_else_is(tmp_path: Path) -> None:
    documents = {
        f"{n}.xhtml": f"<p class='chapter-title'>{t}</p><p class='body'>{prose(t)}</p>"
        for n, t in enumerate(("Ebb", "Neap"))
    }
    assert headings(read(make(tmp_path / "b.epub", documents))) == ["Ebb", "Neap"]


def test_part_and_first_chapter_in_one_file(tmp_path: Path) -> None:
    documents = {
        "a.xhtml": f"<h1 id='p'>Part One</h1><h2 id='c'>Ebb</h2><p>{prose('A', 500)}</p>",
        "b.xhtml": f"<h2>Neap</h2><p>{prose('B', 500)}</p>",
    }
    contents = [("Part One", "a.xhtml#p", [("Ebb", "a.xhtml#c"), ("Neap", "b.xhtml")])]
    assert headings(read(make(tmp_path / "b.epub", documents, contents=contents))) == ["Part One", "Ebb", "Neap"]


def test_a_note_mark_is_no_part_of_a_heading(tmp_path: Path) -> None:
    documents = {
        "a.xhtml": f"<h1>Ebb<a href='#n' epub:type='noteref'>1</a></h1><p>{A}</p>"
        "<aside epub:type='footnote' id='n'>Low water.</aside>"
    }
    assert headings(read(make(tmp_path / "b.epub", documents))) == ["Ebb"]


def test_a_motto_above_its_heading_is_in_the_chapters_record(tmp_path: Path) -> None:
    motto = "<blockquote><p>Nothing is wetter.</p></blockquote>"
    documents = {"a.xhtml": f"{motto}<h1>Ebb</h1><p>{A}</p>", "b.xhtml": f"{motto}<h1>Neap</h1><p>{B}</p>"}
    book = read(make(tmp_path / "b.epub", documents, contents=[("Ebb", "a.xhtml"), ("Neap", "b.xhtml")]))
    assert outline(book) == ["# Ebb", "Nothing is wetter.", A, "# Neap", "Nothing is wetter.", B]


def test_the_tail_of_a_chapter_above_the_next_heading_stays_there(tmp_path: Path) -> None:
    documents = {"a.xhtml": f"<h1>Ebb</h1><p>{A}</p>", "b.xhtml": f"<p>So it ended.</p><h1>Neap</h1><p>{B}</p>"}
    book = read(make(tmp_path / "b.epub", documents, contents=[("Ebb", "a.xhtml"), ("Neap", "b.xhtml")]))
    assert outline(book) == ["# Ebb", A, "So it ended.", "# Neap", B]
