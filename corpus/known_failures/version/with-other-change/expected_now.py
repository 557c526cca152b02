from setuptools import setup

setup(
    name="spooler",
<<<<<<< ours
    version="0.10.0.dev0",
    python_requires=">=3.8",
    install_requires=["click>=8", "rich"],
||||||| base
    version="0.9.1",
    python_requires=">=3.8",
    install_requires=["click>=8"],
=======
    version="0.9.2",
    python_requires=">=3.9",
    install_requires=["click>=8"],
>>>>>>> theirs
)
