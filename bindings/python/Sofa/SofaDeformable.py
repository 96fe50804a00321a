"""Springs."""
from .Core._object import LinearSpring, SpringForceField

__all__ = ["LinearSpring", "SpringForceField"]
