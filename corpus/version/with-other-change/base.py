from setuptools import setup

setup(
    name="spooler",
    version="0.9.1",
    python_requires=">=3.8",
    install_requires=["click>=8"],
)
