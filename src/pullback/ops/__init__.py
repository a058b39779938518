"""The op table by family. Each op is declared once: kernel, rules, kind."""
