"""Do what the instructions of rewritten code stand for: operators, calls, attributes, iteration."""
