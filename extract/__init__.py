"""PDF and EPUB files into one document model (`Book`), and the model into markdown."""
