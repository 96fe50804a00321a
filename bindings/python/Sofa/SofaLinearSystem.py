"""What components of this kind show to scripts."""
from .Core._object import BaseLinearSolver

__all__ = ["BaseLinearSolver"]
