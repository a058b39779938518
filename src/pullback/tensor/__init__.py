"""The facade: names, argument parsing, promotion, indexing, printing. No mathematics."""

