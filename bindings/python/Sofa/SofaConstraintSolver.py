"""What components of this kind show to scripts."""
from .Core._object import ConstraintSolver

__all__ = ["ConstraintSolver"]
