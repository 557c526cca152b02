from setuptools import setup

setup(
    name="spooler",
    version="0.9.2",
    python_requires=">=3.9",
    install_requires=["click>=8"],
)
