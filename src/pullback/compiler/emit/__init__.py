"""Write loops as the text of LLVM functions. Nothing here decides what runs or knows when it runs."""
