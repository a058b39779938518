"""Random programs run under torch and under pullback, side by side, with everything visible compared."""
