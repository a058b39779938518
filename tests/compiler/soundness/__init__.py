"""Programs whose state changes between calls: a compiled function must be the function."""
