"""bookblend: books and tables into clean documents, and documents into blended training corpora."""

__version__ = "0.1.0"
