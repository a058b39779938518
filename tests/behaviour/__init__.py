"""Small programs that print, and what torch prints for each."""
