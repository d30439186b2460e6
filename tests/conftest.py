"""Fixtures that all tests share."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout's own folder."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real books beside the checkout; tests that read it are skipped where it is absent."""
    folder = REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no folder of real books beside the checkout")
    return folder


@pytest.fixture(scope="session")
def cases(shared: Path) -> Path:
    """The folder of small faults from public reports."""
    folder = shared / "cases"
    if not (folder / "check.py").is_file():
        pytest.skip("no cases among the real books")
    return folder


@pytest.fixture(scope="session")
def checker(cases: Path) -> ModuleType:
    """The cases' own test of an output."""
    spec = importlib.util.spec_from_file_location("case_checker", cases / "check.py")
    if spec is None or spec.loader is None:
        pytest.skip("the cases' checker cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
