"""Record what torch gives for the expressions of ``tests/nn/expressions``: run with the oracle's Python.

python tools/record_layers.py     # writes tests/data/layers.json
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.nn.layers import outcomes, topics
from tests.recorded import save

if __name__ == "__main__":
    save("layers", {topic: outcomes(topic, torch) for topic in topics()})
