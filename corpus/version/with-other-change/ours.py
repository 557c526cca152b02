from setuptools import setup

setup(
    name="spooler",
    version="0.10.0.dev0",
    python_requires=">=3.8",
    install_requires=["click>=8", "rich"],
)
