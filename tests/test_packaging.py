"""What others build on: the workflows and forms, the spelling, and the package that a release would publish."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from builders import CHECKOUT

pytestmark = pytest.mark.once

SCHEMAS = {
    "vendor.github-workflows": ".github/workflows/*.yml",
    "vendor.github-actions": "action.yml",
    "vendor.github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "vendor.github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "vendor.dependabot": ".github/dependabot.yml",
}
PATIENCE = 300


def run(*command: str, folder: Path = CHECKOUT) -> subprocess.CompletedProcess[str]:
    """Run a command to its end: what it printed and its exit status."""
    return subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE
    )


def python(*arguments: str, folder: Path = CHECKOUT) -> subprocess.CompletedProcess[str]:
    """Run this very interpreter."""
    return run(sys.executable, *arguments, folder=folder)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_what_the_hosting_service_reads_is_as_it_publishes(schema: str) -> None:
    files = sorted(map(str, CHECKOUT.glob(SCHEMAS[schema])))
    assert files
    done = python("-m", "check_jsonschema", "--builtin-schema", schema, *files)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_workflow_would_be_found(tmp_path: Path) -> None:
    workflow = (CHECKOUT / ".github/workflows/test.yml").read_text().replace("runs-on:", "runs-at:")
    (tmp_path / "wrong.yml").write_text(workflow)
    done = python("-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(tmp_path / "wrong.yml"))
    assert done.returncode == 1


def test_each_job_has_a_time_limit() -> None:
    files = sorted(map(str, CHECKOUT.glob(SCHEMAS["vendor.github-workflows"])))
    done = python("-m", "check_jsonschema", "--builtin-schema", "custom.github-workflows-require-timeout", *files)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_matrix_has_each_python_that_the_package_names() -> None:
    project = (CHECKOUT / "pyproject.toml").read_text()
    workflow = (CHECKOUT / ".github/workflows/test.yml").read_text()
    named = [line.split("::")[2].strip(' ",') for line in project.split("\n") if "Python :: 3." in line]
    assert f"python: [{', '.join(map(repr, named))}]".replace("'", '"') in workflow


def test_texts_are_spelled_right() -> None:
    files = run("git", "ls-files").stdout.split("\n")
    texts = [name for name in files if name and not name.endswith(".svg") and "/ledger/" not in name]
    done = python("-m", "codespell_lib", *texts)
    assert done.stdout == ""
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_what_is_built_is_whole_passes_the_index_checks_and_works_in_a_clean_environment(tmp_path: Path) -> None:
    folder = build_distributions(tmp_path / "dist")
    pass_the_index_checks(folder)
    hold_what_they_must_and_nothing_of_a_workplace(folder)
    work_in_a_clean_environment(folder, tmp_path)


def build_distributions(folder: Path) -> Path:
    """Build the wheel and the source distribution of this checkout into a folder."""
    done = python("-m", "build", "--outdir", str(folder), str(CHECKOUT))
    if done.returncode and "No matching distribution" in done.stdout + done.stderr:
        pytest.skip("the package index that the build environment needs cannot be reached")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def pass_the_index_checks(built: Path) -> None:
    done = python("-m", "twine", "check", "--strict", *map(str, sorted(built.iterdir())))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 2


def hold_what_they_must_and_nothing_of_a_workplace(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "gatilho/hook.py" in names
    assert "gatilho_dispatcher/gatilho.py" in names
    assert not [name for name in names if name.startswith(("tests", "docs", "scripts", ".")) or "__pycache__" in name]
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "pyproject.toml", "gatilho/hook.py", "tests/builders.py"} <= inside


def work_in_a_clean_environment(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "env")
    place = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    options = ("--python", str(place / "python"), "install", "--quiet", "--no-compile", str(wheel))
    installed = python("-m", "pip", *options, folder=tmp_path)
    if "No matching distribution" in installed.stderr:
        pytest.skip("the package index that the dependencies come from cannot be reached")
    assert installed.returncode == 0, installed.stderr
    project = tmp_path / "project"
    project.mkdir()
    run("git", "init", "--quiet", folder=project)
    made = run(str(place / "gatilho"), "init", folder=project)
    assert made.returncode == 0, made.stdout + made.stderr
    assert (project / "docs/gatilhos/backlog.md").is_file()
    checked = run(str(place / "gatilho"), "check", folder=project)
    assert checked.returncode == 0, checked.stdout + checked.stderr
