"""Run eager ops on large arrays by native loops, compiled from the declarations of the ops."""
