"""The sample book: one plain source, set as a PDF and bound as an EPUB, with the truth about its words.

`python -m bookblend.books.sample.make` rebuilds the files; `source` reads the text, `typeset` and `bind` make the
two books, `truth` says what a perfect reading of either would find.
"""
