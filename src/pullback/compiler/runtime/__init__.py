"""Run programs: compile the text, keep it on disk, check guards, start threads, give results."""
