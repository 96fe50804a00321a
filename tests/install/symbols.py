#!/usr/bin/env python3
"""What libdivan.so shows: every symbol is versioned and declared in an installed header, and every function that such a header
declares is there. symbols.py SOURCE LIBRARY"""
import os
import re
import subprocess
import sys

FUNCTION = re.compile(r"^[\w ]+?[ *]+\(?\*?((?:dv|divan)_\w+)\)?\(.*(?:;|,)\s*(?://.*)?$")


def declared(path):
    """Functions that a header declares and does not define."""
    names = set()
    for line in open(path):
        line = line.replace("DIVAN_API ", "").replace("_Noreturn ", "")
        if line.startswith(("static", "typedef", "#", " ", "//", "extern")):
            continue
        m = FUNCTION.match(line)
        if m:
            names.add(m.group(1))
    return names


def main():
    source, library = sys.argv[1:3]
    listed = open(os.path.join(source, "cmake/install.cmake")).read()
    sdk = re.search(r"set\(DIVAN_SDK_HEADERS ([^)]*)\)", listed).group(1).split()
    headers = {"DIVAN_1": ["include/divan/divan.h"], "DIVAN_SDK_1": ["src/" + h for h in sdk]}
    exported = {}
    for line in subprocess.check_output(["nm", "-D", "--defined-only", library], text=True).splitlines():
        kind, name = line.split()[-2:]
        if kind != "A":  # the versions themselves
            base, _, version = name.partition("@@")
            exported[base] = version
    bad = []
    texts = {v: "".join(open(os.path.join(source, h)).read() for h in hs) for v, hs in headers.items()}
    for name, version in exported.items():
        if version not in texts:
            bad.append(f"{name} has the version '{version}'")
        elif not re.search(r"\b" + name + r"\b", texts[version]):
            bad.append(f"{name}@{version} is in no header of that version")
    for version, files in headers.items():
        for h in files:
            for name in declared(os.path.join(source, h)):
                if name not in exported:
                    bad.append(f"{h} declares {name}, which is not exported")
    for version in texts:
        print(f"{version}: {sum(v == version for v in exported.values())} symbols")
    if not any(n.startswith("divan_") for n in exported):
        bad.append("no divan_ symbol is exported")
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
