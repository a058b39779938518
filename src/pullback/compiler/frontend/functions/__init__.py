"""Say what functions do that are not written in Python, or that a trace does not look into."""
