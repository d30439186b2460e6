"""The desk where a book is onboarded: the four-stage run, recipes, inspection, the sample book."""
