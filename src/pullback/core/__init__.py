"""The mechanism: ops, values, nodes, the engine, views and versions, modes. It names no op."""
