"""The wheel: the packages as they were built, with the stable interface's tag. Called by tools/make-wheel."""

import os

from setuptools import find_packages, setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel


class Built(Distribution):
    def has_ext_modules(self):
        return True


class Stable(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False
        self.py_limited_api = "cp311"

    def get_tag(self):
        _, _, platform = super().get_tag()
        return "cp311", "abi3", platform


setup(
    name="divan",
    version=os.environ["DIVAN_VERSION"],
    description="Simulates deformable and rigid bodies; reads SOFA's scenes",
    long_description=open("README.md").read(),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.11",
    packages=find_packages(),
    package_data={"": ["*.so", "*.pyi", "py.typed"]},
    extras_require={"numpy": ["numpy"]},
    entry_points={"console_scripts": ["divan = divan.__main__:main"]},
    distclass=Built,
    cmdclass={"bdist_wheel": Stable},
)
