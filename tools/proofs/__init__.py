"""Reads the tests of the repository: which rows they claim, what they assert, and whether they fail when it is inverted."""
