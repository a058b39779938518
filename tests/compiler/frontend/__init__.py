"""Tests of what runs user functions as rewritten bytecode."""
