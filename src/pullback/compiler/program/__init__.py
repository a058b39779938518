"""Hold programs: straight-line code over arrays, its text, and what every program must satisfy."""
