"""Grids."""
from .Core._object import RegularGridTopology, SparseGridTopology

__all__ = ["RegularGridTopology", "SparseGridTopology"]
