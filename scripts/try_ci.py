#!/usr/bin/env python3
"""Runs every step of the recipes for CI (docs/ci.md, action.yml, the workflow of `aqbench init`) on this machine.

  scripts/try_ci.py [WHEEL]      default: the one in build/release/wheels

A repository is made whose method writes a cloud; each recipe must pass on it, fail with an ::error where the cloud is
worse, where the baseline is missing and where the wheel is not named, and keep its bundle under a name of its own in a
matrix. Steps of others (checkout, artifacts) are played. A checkout of another user keeps its commit (needs root). What
only the servers do is not tried. Needs python3-yaml, git and the network of nothing.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

SOURCES = pathlib.Path(__file__).resolve().parent.parent
PROJECT = {
    "version": 1,
    "methods": [{"name": "mine", "summary": "copies a cloud", "command": "cp {project}/cloud.ply {output}/cloud.ply",
                 "result": "cloud.ply", "unit": "m"}],
    "suites": [{"name": "mine", "description": "one scene", "scenes": ["flat_plane"], "methods": ["mine"], "seeds": [42]}],
    "gates": {"mine": "baseline.json"},
}


def fail(text):
    sys.exit(f"try_ci: {text}")


def write_cloud(folder, error_m):
    points = [(x / 100, y / 100, 1.178 + error_m) for x in range(-24, 25) for y in range(-14, 15)]
    lines = ["ply", "format ascii 1.0", f"element vertex {len(points)}", *(f"property double {a}" for a in "xyz"),
             "end_header"]
    (folder / "cloud.ply").write_text("\n".join(lines + ["%r %r %r" % point for point in points]) + "\n")


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=ci", "-c", "user.email=ci@localhost", *words], check=True,
                   capture_output=True)


class Job:
    """One job of GitHub: its steps, the expressions in them, and what it leaves."""

    def __init__(self, repository, wheel, job="gate", index=0):
        self.temp = pathlib.Path(tempfile.mkdtemp(prefix="runner-", dir=repository.parent))
        self.folder, self.wheel, self.job, self.index = repository, wheel, job, index
        self.values = {"vars.AQBENCH_WHEEL": wheel, "runner.temp": str(self.temp), "github.job": job,
                       "strategy.job-index": str(index)}
        self.path, self.outputs, self.artifacts, self.text, self.code = os.environ["PATH"], {}, {}, "", 0

    def fill(self, text, inputs=None):
        def value(expression):
            expression = expression.strip()
            if " || " in expression:
                return next((found for found in map(value, expression.split(" || ")) if found), "")
            if made := re.fullmatch(r"format\('(.*)', (.*)\)", expression):
                return re.sub(r"\{(\d)\}", lambda m: value(made[2].split(", ")[int(m[1])]), made[1])
            if expression.startswith("inputs."):
                return str((inputs or {})[expression[7:]])
            if expression not in self.values:
                fail(f"the recipe asks for ${{{{ {expression} }}}}, which is not known here")
            return self.values[expression]

        return re.sub(r"\$\{\{(.*?)\}\}", lambda m: value(m[1]), str(text))

    def shell(self, step, inputs, action):
        script = self.temp / "step.sh"
        script.write_text(self.fill(step["run"], inputs))
        files = {name: self.temp / name for name in ("GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.touch()
        env = {"PATH": self.path, "HOME": str(self.temp), "LC_ALL": "C.UTF-8", "GITHUB_ACTIONS": "true",
               "RUNNER_TEMP": str(self.temp), "GITHUB_ACTION_PATH": str(action or ""), "AQBENCH_CACHE_DIR": str(self.temp),
               **{name: str(file) for name, file in files.items()},
               **{name: self.fill(value, inputs) for name, value in step.get("env", {}).items()}}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=self.folder, env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.text += done.stdout
        self.path = os.pathsep.join([*reversed(files["GITHUB_PATH"].read_text().split()), os.environ["PATH"]])
        return done.returncode

    def steps(self, steps, inputs=None, action=None):
        for step in steps:
            if self.code and "always()" not in str(step.get("if", "")):
                continue
            uses = step.get("uses", "")
            if uses.startswith("actions/checkout@"):
                continue
            if uses.startswith("actions/upload-artifact@"):
                given = {key: self.fill(value, inputs) for key, value in step["with"].items()}
                self.artifacts[given["name"]] = [str(f) for f in (self.folder / given["path"]).rglob("*")]
            elif uses.startswith("OWNER/aqbench@"):
                recipe = yaml.safe_load((SOURCES / "action.yml").read_text())
                asked = {name: self.fill(step.get("with", {}).get(name, one.get("default", "")))
                         for name, one in recipe["inputs"].items()}
                self.steps(recipe["runs"]["steps"], asked, SOURCES)
            elif uses:
                fail(f"{uses} is not played here")
            else:
                code = self.shell(step, inputs, action)
                self.code = self.code or code


def run_github(recipe, repository, wheel, index=0):
    made = yaml.safe_load(recipe)
    if "push" not in made[True] or "pull_request" not in made[True]:  # YAML reads `on` as true
        fail("the workflow must run for pushes, too")
    [(name, job)] = made["jobs"].items()
    run = Job(repository, wheel, name, index)
    run.steps(job["steps"])
    return run


def run_gitlab(recipe, repository, wheel):
    [(_, job)] = yaml.safe_load(recipe).items()
    temp = tempfile.mkdtemp(prefix="gitlab-", dir=repository.parent)
    script = "\n".join(job["script"]).replace("/tmp/aqbench", f"{temp}/aqbench")
    env = {"PATH": os.environ["PATH"], "HOME": temp, "LC_ALL": "C.UTF-8", "AQBENCH_CACHE_DIR": temp,
           **({"AQBENCH_WHEEL": wheel} if wheel else {})}
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=repository, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    run = Job(repository, wheel)
    run.code, run.text = done.returncode, done.stdout
    run.artifacts = {"one": [str(f) for path in job["artifacts"]["paths"] for f in (repository / path).rglob("*")]}
    if wheel and not (repository / job["artifacts"]["reports"]["junit"]).exists() and run.code in (0, 1):
        fail("GitLab's recipe wrote no JUnit file")
    return run


def expect(run, code, *texts):
    if run.code != code:
        fail(f"exit code {run.code} instead of {code}:\n{run.text}")
    for text in texts:
        if text not in run.text:
            fail(f"'{text}' is not in:\n{run.text}")


def bundle_of(run):
    results = [file for files in run.artifacts.values() for file in files if file.endswith("/results.json")]
    if not results:
        fail("no bundle was kept")
    return pathlib.Path(sorted(results)[-1]).parent


def scenarios(name, run, repository, wheel, github):
    """Runs a recipe where all is well, where the cloud is worse, and where something is missing."""
    error = "::error title=aqbench::" if github else "aqbench: error: "

    def again(index=0):
        for out in ("out", "aqbench-out"):
            shutil.rmtree(repository / out, ignore_errors=True)
        return run(repository, wheel, index) if github else run(repository, wheel)

    good = again()
    expect(good, 0)
    commit = subprocess.run(["git", "-C", repository, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    if commit not in (bundle_of(good) / "commands.txt").read_text():
        fail(f"{name}: the commit is not in the bundle")
    if github and set(again(1).artifacts) & set(good.artifacts):
        fail(f"{name}: two jobs of a matrix keep their bundles under one name")
    write_cloud(repository, 0.0004)
    expect(again(), 1, *(["::error"] if github else ["mean error 0.200 -> 0.400 mm"]))
    write_cloud(repository, 0.0002)
    (repository / "baseline.json").rename(repository / "hidden")
    expect(again(), 2, error, "no such baseline")
    (repository / "hidden").rename(repository / "baseline.json")
    nothing = run(repository, "") if github else run(repository, None)
    if nothing.code == 0 or "AQBENCH_WHEEL" not in nothing.text + ("AQBENCH_WHEEL" if "not installed" in nothing.text else ""):
        fail(f"{name}: no word about the missing wheel:\n{nothing.text}")
    print(f"{name}: passes, fails on a worse cloud (exit 1), without its baseline (exit 2) and without aqbench; "
          f"artifact {sorted(good.artifacts)}")


# As a program of Google Benchmark prints it: its time is in a file that the build copies.
BENCH = """#!/bin/sh
awk -v typical="$(cat "$(dirname "$0")/time_ns")" -v seed="$(od -An -N4 -tu4 /dev/urandom)" 'BEGIN { srand(seed)
  printf "{\\"benchmarks\\": ["
  for (i = 0; i < 3; ++i) { t = typical * (1 + 0.01 * rand())
    printf "%s{\\"name\\": \\"BM_sort\\", \\"run_type\\": \\"iteration\\", \\"threads\\": 1, \\"time_unit\\": \\"ns\\", " \\
      "\\"real_time\\": %.6f, \\"cpu_time\\": %.6f}", (i ? "," : ""), t, t }
  print "]}" }'
"""


def benchmarks(aqbench, wheel, work):
    """Runs the workflow of `aqbench init --benchmark` for a pull request that changes nothing and for a slower one."""
    library = work / "library"
    library.mkdir()
    (library / "bench.sh").write_text(BENCH)
    (library / "time_ns").write_text("1000")
    git(library, "init", "-q")
    subprocess.run([aqbench, "init", "--benchmark", "build/bench", "--build",
                    "mkdir -p build && cp time_ns build/ && cp bench.sh build/bench && chmod +x build/bench"],
                   cwd=library, check=True, capture_output=True)
    (library / ".gitignore").write_text("build/\nout/\n")
    [job] = yaml.safe_load((library / ".github/workflows/benchmarks.yml").read_text())["jobs"].values()

    def pull_request(time_ns):
        (library / "time_ns").write_text(time_ns)
        git(library, "add", "-A")
        git(library, "commit", "-q", "--allow-empty", "-m", "change")
        shutil.rmtree(library / "out", ignore_errors=True)
        run = Job(library, wheel, "benchmarks")
        run.steps(job["steps"])
        return run

    pull_request("1000")  # the base
    same = pull_request("1000")
    expect(same, 0, "PASS")
    slower = pull_request("1200")
    expect(slower, 1, "::error title=BM_sort::", "slower")
    bundle_of(slower)
    if 'failures="1"' not in (library / "out/junit.xml").read_text():
        fail("the workflow of aqbench init --benchmark wrote no failure as JUnit")
    print("the workflow of aqbench init --benchmark: passes, fails on 20 % more time (exit 1)")


def main():
    wheel = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                             next((SOURCES / "build/release/wheels").glob("*.whl"))).resolve())
    work = pathlib.Path(tempfile.mkdtemp(prefix="aqbench-ci-"))
    try:
        subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
        subprocess.run([work / "venv/bin/pip", "install", "--quiet", "--no-index", "--no-deps", wheel], check=True)
        aqbench = str(work / "venv/bin/aqbench")
        repository = work / "repository"
        repository.mkdir()
        (repository / "aqbench.json").write_text(json.dumps(PROJECT))
        write_cloud(repository, 0.0002)
        subprocess.run([aqbench, "sweep", "--suite", "mine", "--out", "out"], cwd=repository, check=True,
                       capture_output=True)
        [bundle] = (repository / "out").iterdir()
        subprocess.run([aqbench, "accept", bundle, "--baseline", "baseline.json"], cwd=repository, check=True,
                       capture_output=True)
        shutil.rmtree(repository / "out")
        begun = work / "begun"
        begun.mkdir()
        subprocess.run([aqbench, "init", "--command", "true {dataset} {output}", "--name", "mine"], cwd=begun, check=True,
                       capture_output=True)
        workflow = (begun / ".github/workflows/aqbench.yml").read_text()
        (repository / ".gitignore").write_text("out/\naqbench-out/\n")
        git(repository, "init", "-q")
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "begin")

        benchmarks(aqbench, wheel, work)
        text = (SOURCES / "docs/ci.md").read_text()
        recipes = dict(re.findall(r"^## (GitHub Actions|GitLab)\n.*?^```yaml\n(.*?)^```", text, re.S | re.M))
        scenarios("action.yml in docs/ci.md", lambda *a: run_github(recipes["GitHub Actions"], *a), repository, wheel, True)
        scenarios("the workflow of aqbench init", lambda *a: run_github(workflow, *a), repository, wheel, True)
        scenarios("GitLab in docs/ci.md", lambda *a: run_gitlab(recipes["GitLab"], *a), repository, wheel, False)
        if os.geteuid() == 0:
            os.chmod(work, 0o755)
            subprocess.run(["chown", "-R", "54321:54321", repository], check=True)
            scenarios("a checkout of another user", lambda *a: run_gitlab(recipes["GitLab"], *a), repository, wheel, False)
            words = ["sweep", "--project", "aqbench.json", "--suite", "mine", "--out", "plain"]
            done = subprocess.run([aqbench, *words], cwd=repository, capture_output=True, text=True,
                                  env={"PATH": os.environ["PATH"], "HOME": str(work)})
            [bundle] = (repository / "plain").iterdir()
            if "safe.directory" not in done.stderr or "safe.directory" not in (bundle / "summary.md").read_text():
                fail("aqbench sweep alone does not warn that git hides the commit")
            print("aqbench sweep alone warns there, on the screen and in the bundle's summary")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("all good")


main()
