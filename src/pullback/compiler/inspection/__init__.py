"""Show what a compiled function is made of: its report, its loops as Python, its times, its checks."""
