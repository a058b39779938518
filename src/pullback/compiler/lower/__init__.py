"""Lower programs: each op of a program becomes nodes of loops, or a call of its array kernel."""
