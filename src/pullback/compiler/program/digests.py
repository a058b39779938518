"""Have BLAKE2 from where `hashlib` takes it: `hashlib` loads OpenSSL, too, 3.6 MB in all that compiles."""

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter that has it elsewhere
    from hashlib import blake2b

__all__ = ["blake2b"]
