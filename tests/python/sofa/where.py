"""Where the packages lie."""
import os
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
PACKAGES = os.environ.get("DIVAN_PYTHON_PATH", os.path.join(ROOT, "build", "python"))
COMMAND = os.environ.get("DIVAN", os.path.join(ROOT, "build", "divan"))
sys.path.insert(0, PACKAGES)
