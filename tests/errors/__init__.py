"""Mistakes that torch refuses, and what it says about each."""
