#!/usr/bin/env python3
"""Tests that docs/hardening.md names exist and are run: `room/test_x.c: name, name` and page: "title"."""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def main():
    text, wrong, seen = read("docs/hardening.md"), [], 0
    for path, names in re.findall(r"`([a-z_]+/test_\w+\.c): ([^`]+)`", text):
        full = os.path.join("tests", path)
        source = read(full) if os.path.exists(os.path.join(ROOT, full)) else ""
        for name in names.split(", "):
            seen += 1
            if not re.search(rf"cmocka_unit_test(_setup_teardown)?\({name}[,)]", source):
                wrong.append(f"{full} has no test {name}")
    titles = "".join(open(p, encoding="utf-8").read() for p in glob.glob(os.path.join(ROOT, "viewer/tests/*.test.mjs")))
    for title in re.findall(r'page: "([^"]+)"', text):
        seen += 1
        if f"test('{title}'" not in titles:
            wrong.append(f"the page has no test '{title}'")
    print("\n".join(wrong) or f"{seen} tests, all there")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
