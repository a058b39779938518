"""Take bytecode apart, and write in each instruction's place what a trace sees of it."""
