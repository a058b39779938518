"""From loops to native code: LLVM's text, and llvmlite to compile it. Nothing here knows an op."""
