"""Run the plain part of a backward pass in native code."""
