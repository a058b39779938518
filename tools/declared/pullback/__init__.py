"""Stand where Griffe looks for the package: `tools.build_reference` puts in what the running one declares."""

from __future__ import annotations
