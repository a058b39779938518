"""Speed and memory of pullback beside other libraries, measured in one run.

``python -m benchmarks`` runs every workload in every peer library that is installed and prints a table of
ratios to PyTorch's eager mode. What it must do:

* compare *in the same run*: every peer lives in its own process and the peers take turns within each round,
  so that a machine that slows down for a while slows all of them alike;
* compare *the same mathematics*: data and initial parameters come from one NumPy generator (``data.py``),
  and the first numbers each peer computes are checked against those of PyTorch before anything is timed;
* let every library be used the way its own documentation uses it: its own layers and optimizers where it has
  them.
"""
