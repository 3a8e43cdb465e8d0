#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes suite files as a C source: embed.py OUTPUT FILE.json…"""

import pathlib
import sys


def array_of(path: pathlib.Path) -> str:
    numbers = [str(byte) for byte in path.read_bytes()] + ["0"]
    lines = [", ".join(numbers[i : i + 20]) for i in range(0, len(numbers), 20)]
    return f"static const char {path.stem}_json[] = {{\n\t" + ",\n\t".join(lines) + ",\n};\n"


def main() -> None:
    output, *names = sys.argv[1:]
    paths = [pathlib.Path(name) for name in names]
    rows = [f'\t{{"{path.stem}", {path.stem}_json}},\n' for path in paths]
    with open(output, "w", encoding="ascii") as out:
        out.write('#include "builtin.h"\n\n#include <stddef.h>\n\n')
        out.write("\n".join(array_of(path) for path in paths))
        out.write("\nconst struct sc_builtin sc_builtins[] = {\n")
        out.write("".join(rows) + "\t{NULL, NULL},\n};\n")


main()
