"""`python3 -m divan run scene.py`: the command, with scenes in Python."""

import sys

from . import _divan
from ._script import open_script


def main(argv=None):
    arguments = list(sys.argv if argv is None else argv)
    rest = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, rest = arguments[:at], arguments[at + 1:]
    target = arguments[2:] and arguments[1] == "convert" and _target(arguments)
    if target and arguments[target].lower().endswith(".py"):
        from Sofa import _convert
        return _convert.convert(arguments[target], lambda part: _run(arguments[:target] + [part] + arguments[target + 1:], rest))
    return _run(arguments, rest)


def _target(arguments):
    """Which argument of convert is the file to write: the second that is neither an option nor the value of one."""
    names = [i for i in range(2, len(arguments)) if not arguments[i].startswith("-")
             and (arguments[i - 1] not in ("--data", "--compat", "--plugin", "--plugin-path", "--threads"))]
    return names[1] if len(names) == 2 else 0


def _run(arguments, rest):
    scripts = [a for a in arguments[2:] if a.lower().endswith((".py", ".pyscn"))]
    sys.argv = scripts[:1] + rest if scripts else [arguments[0]] + rest
    sys.stdout.flush()
    return _divan._main(["divan"] + arguments[1:], open_script)


if __name__ == "__main__":
    sys.exit(main())
