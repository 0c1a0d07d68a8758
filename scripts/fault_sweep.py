#!/usr/bin/env python3
"""Lets every n-th write, fsync, rename, mmap and some of the mallocs of aqbench fail, and kills it at random moments.

    scripts/fault_sweep.py build/release [--only SCENARIO...] [--kinds KIND...] [--kills N] [--mallocs N] [--seed N]

Each attempt starts from the same input, is hit once, and is then gone on with as a user would: the result must be that
of a run that was left alone. Prints a table; exit 1 where one attempt was not as docs/robustness.md promises.
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

KINDS = ["write", "fsync", "rename", "mmap", "malloc"]
SMALL = ["--scene", "flat_plane", "--method", "roma_like", "--set", "roma_like.points=300", "--threads", "1"]
TIMEOUT_S = 600


class Fault(Exception):
    """A forbidden outcome of an attempt."""


class Program:
    def __init__(self, build, folder):
        self.binary = str(build / "aqbench")
        self.shim = str(build / "libaqbench_fault_shim.so")
        self.report = folder / "report"
        self.environment = dict(os.environ, AQBENCH_CACHE_DIR=str(folder / "cache"),
                                XDG_STATE_HOME=str(folder / "home"), XDG_CONFIG_HOME=str(folder / "home"))

    def run(self, arguments, cwd, fault=None):
        environment = dict(self.environment)
        if fault is not None:
            self.report.unlink(missing_ok=True)
            environment.update(LD_PRELOAD=self.shim, AQBENCH_FAULT=fault, AQBENCH_FAULT_REPORT=str(self.report))
        return subprocess.run([self.binary, *arguments], cwd=cwd, env=environment, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)

    def kill_after(self, seconds, arguments, cwd):
        """Returns whether the program was still running."""
        child = subprocess.Popen([self.binary, *arguments], cwd=cwd, env=self.environment,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
        return child.wait(TIMEOUT_S) == -signal.SIGKILL

    def calls(self):
        numbers = struct.unpack("6Q", self.report.read_bytes())
        return dict(zip(KINDS, numbers)), numbers[5]

    def expect(self, arguments, cwd, codes=(0,)):
        done = self.run(arguments, cwd)
        if done.returncode not in codes:
            raise Fault(f"afterwards {' '.join(arguments[:2])} ended with {done.returncode}: {done.stderr.strip()[:300]}")
        return done


def bundles(folder):
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".")) if folder.is_dir() else []


def bundles_with(folder, name):
    """Returns the bundles that have a file of this name."""
    return [bundle for bundle in bundles(folder / "out") if (bundle / name).exists()]


def digest_line(program, bundle, cwd):
    """Returns the digest of a bundle that verifies."""
    out = program.expect(["verify", str(bundle)], cwd).stdout
    return next((line for line in out.splitlines() if line.startswith("metrics digest")), "")


def folder_digest(folder):
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(str(path.relative_to(folder)).encode() + (path.read_bytes() if path.is_file() else b""))
    return digest.hexdigest()


class Scenario:
    """A command, its input in a folder, and how a user continues after a hit."""

    def prepare(self, program, folder):
        """Makes the input, once."""

    def check_hit(self, program, folder):
        """Raises Fault if leftovers of the hit run could be mistaken for a result."""

    def recover(self, program, folder):
        """Continues and returns what must be the same after every hit."""


class Sweep(Scenario):
    def __init__(self, *more):
        self.command = ["sweep", *SMALL, "--out", "out", *more]

    def check_hit(self, program, folder):
        for bundle in bundles(folder / "out"):
            if program.run(["verify", str(bundle)], folder).returncode == 0:
                results = json.loads((bundle / "results.json").read_text())
                if len(results["records"]) != results["run"]["planned_cases"]:
                    raise Fault("a part of a sweep verifies")

    def recover(self, program, folder):
        found = bundles_with(folder, "journal.jsonl")
        if found:
            program.expect(["sweep", "--resume", str(found[-1])], folder)
        else:
            shutil.rmtree(folder / "out", ignore_errors=True)
            program.expect(self.command, folder)
            found = bundles(folder / "out")
        check_no_leftovers(found[-1])
        return digest_line(program, found[-1], folder)


class Compare(Scenario):
    command = ["ab", "--variant", "roma_like.points=300,301", "--method", "roma_like", "--scene", "flat_plane",
               "--threads", "1", "--looks", "1", "--pairs", "24", "--repetitions", "3", "--no-confirm",
               "--allow-inconclusive", "--out", "out"]

    def recover(self, program, folder):
        found = bundles_with(folder, "journal.jsonl")
        ended = found and (found[-1] / "sha256.txt").exists()
        pairs = (found[-1] / "journal.jsonl").read_bytes() if found else b""
        if found and not ended:
            program.expect(["ab", "--resume", str(found[-1])], folder)
        elif not found:
            shutil.rmtree(folder / "out", ignore_errors=True)
            program.expect(self.command, folder)
            found = bundles(folder / "out")
        whole = pairs[:pairs.rfind(b"\n") + 1]
        if not (found[-1] / "journal.jsonl").read_bytes().startswith(whole):
            raise Fault("a measured pair is lost")
        check_no_leftovers(found[-1])
        return next(line for line in program.expect(["verify", str(found[-1])], folder).stdout.splitlines()
                    if "units" in line).split()[-2]


class Samples(Scenario):
    command = ["ab", "--samples", "samples.json", "--looks", "1", "--no-confirm", "--allow-inconclusive", "--out", "out"]

    def prepare(self, program, folder):
        coin = random.Random(1)
        side = lambda: [round(10 + coin.random(), 3) for _ in range(24)]
        (folder / "samples.json").write_text(json.dumps({"cases": [{"name": "x", "a": side(), "b": side()}]}))

    def recover(self, program, folder):
        ended = bundles_with(folder, "sha256.txt")
        if not ended:
            program.expect(self.command, folder)
            ended = bundles_with(folder, "sha256.txt")
        program.expect(["verify", str(ended[-1])], folder)
        return hashlib.sha256(json.dumps(json.loads((ended[-1] / "results.json").read_text())["records"]).encode()).hexdigest()


class Accept(Scenario):
    command = ["accept", "made/bundle", "--baseline", "baseline.json"]

    def prepare(self, program, folder):
        program.expect(["sweep", *SMALL, "--out", "first"], folder)
        program.expect(["accept", str(bundles(folder / "first")[0]), "--baseline", "baseline.json"], folder)
        program.expect(["sweep", *SMALL, "--repeat", "2", "--out", "second"], folder)
        (folder / "made").mkdir()
        bundles(folder / "second")[0].rename(folder / "made" / "bundle")
        self.old = self.accepted(folder)
        self.new = None

    @staticmethod
    def accepted(folder):
        """Returns the content of the baseline without the time of acceptance."""
        baseline = json.loads((folder / "baseline.json").read_text())
        del baseline["accepted_from"]["utc"]
        return json.dumps(baseline)

    def check_hit(self, program, folder):
        if self.accepted(folder) not in (self.old, self.new):
            raise Fault("the baseline is neither the old nor the new one")

    def recover(self, program, folder):
        program.expect(self.command, folder)
        self.new = self.accepted(folder)
        check_no_leftovers(folder)
        return hashlib.sha256(self.new.encode()).hexdigest()


class Merge(Scenario):
    command = ["merge", "one/bundle", "two/bundle", "--out", "out"]

    def prepare(self, program, folder):
        for name, shard in [("one", "1/2"), ("two", "2/2")]:
            program.expect(["sweep", *SMALL, "--repeat", "2", "--shard", shard, "--out", name], folder)
            bundles(folder / name)[0].rename(folder / name / "bundle")

    def sealed(self, folder):
        return [bundle for bundle in bundles(folder / "out") if (bundle / "sha256.txt").exists()]

    def check_hit(self, program, folder):
        for bundle in self.sealed(folder):
            program.expect(["verify", str(bundle)], folder)

    def recover(self, program, folder):
        if not self.sealed(folder):
            program.expect(self.command, folder)  # beside an unfinished one
        return digest_line(program, self.sealed(folder)[-1], folder)


class Render(Scenario):
    command = ["render", "flat_plane", "--rig", "single_pair", "--width", "48", "--mesh-pitch-mm", "50", "--out", "out",
               "--no-cache"]

    def recover(self, program, folder):
        if not (folder / "out").exists():
            program.expect(self.command, folder)
        left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
        if len(left) > 1:
            raise Fault(f"left behind: {left}")
        return folder_digest(folder / "out")


SCENARIOS = {"sweep": Sweep("--repeat", "2"), "ab": Compare(), "samples": Samples(), "accept": Accept(), "merge": Merge(), "render": Render()}


def check_no_leftovers(folder):
    left = [path.name for path in folder.rglob("*") if ".tmp" in path.name]
    if left:
        raise Fault(f"left behind: {left}")


class Attempts:
    """Runs one scenario again and again from the same input."""

    def __init__(self, name, program, folder):
        self.name, self.scenario, self.program, self.folder = name, SCENARIOS[name], program, folder
        self.input = folder / f"{name}.input"
        self.input.mkdir()
        self.scenario.prepare(program, self.input)
        started = time.monotonic()
        clean = self.fresh()
        done = program.run(self.scenario.command, clean, "write:0")
        self.seconds = time.monotonic() - started
        if done.returncode != 0:
            raise SystemExit(f"{name}: an untouched run ended with {done.returncode}: {done.stderr}")
        self.calls, _ = program.calls()
        self.expected = self.result_of(clean, ended_well=True)

    def fresh(self):
        folder = self.folder / "attempt"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.input, folder)
        return folder

    def result_of(self, folder, ended_well):
        if ended_well and isinstance(self.scenario, Sweep):
            return digest_line(self.program, bundles(folder / "out")[-1], folder)
        return self.scenario.recover(self.program, folder)

    def after(self, folder, ended_well):
        self.scenario.check_hit(self.program, folder)
        now = self.result_of(folder, ended_well)
        if now != self.expected:
            raise Fault(f"the result is another one: {now}, expected {self.expected}")

    def fail_call(self, fault):
        """Returns how the run ended: "io", "absorbed" or "not reached"."""
        folder = self.fresh()
        done = self.program.run(self.scenario.command, folder, fault)
        if self.program.calls()[1] == 0:
            return "not reached"
        lines = done.stderr.strip().splitlines()
        if done.returncode not in (0, 6):
            raise Fault(f"exit {done.returncode}: {done.stderr.strip()[:300]}")
        if done.returncode == 6 and len(lines) != 1:
            raise Fault(f"exit 6 with {len(lines)} lines: {done.stderr.strip()[:300]}")
        self.after(folder, done.returncode == 0)
        return "io" if done.returncode == 6 else "absorbed"

    def kill(self, seconds):
        folder = self.fresh()
        killed = self.program.kill_after(seconds, self.scenario.command, folder)
        self.after(folder, not killed)
        return "killed" if killed else "ended before"


def row(name, what, calls, counts, faults):
    total = sum(counts.values()) + len(faults)
    ends = ", ".join(f"{count} {end}" for end, count in sorted(counts.items()))
    print(f"| {name} | {what} | {calls} | {total} | {ends} | {len(faults)} |", flush=True)
    for attempt, fault in faults:
        print(f"  {name} {attempt}: {fault}", file=sys.stderr, flush=True)


def attempt_all(name, what, calls, attempts):
    counts, faults = {}, []
    for label, attempt in attempts:
        try:
            end = attempt()
            counts[end] = counts.get(end, 0) + 1
        except (Fault, subprocess.TimeoutExpired) as fault:
            faults.append((label, fault))
    row(name, what, calls, counts, faults)
    return len(faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", choices=SCENARIOS, default=list(SCENARIOS))
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--mallocs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    coin = random.Random(options.seed)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="aqbench-faults-") as folder:
        print("| command | hit | calls | tried | ended | wrong |\n| --- | --- | ---: | ---: | --- | ---: |", flush=True)
        for name in options.only:
            program = Program(options.build.resolve(), pathlib.Path(folder))
            runs = Attempts(name, program, pathlib.Path(folder))
            for kind in options.kinds:
                calls = runs.calls[kind]
                places = range(1, calls + 1)
                if kind == "malloc" and calls > options.mallocs:
                    places = sorted(coin.sample(places, options.mallocs))
                attempts = [(f"{kind}:{n}{mode}", lambda n=n, kind=kind, mode=mode: runs.fail_call(f"{kind}:{n}{mode}"))
                            for n in places for mode in (("", ":from") if kind == "write" else ("",))]
                failed += attempt_all(name, kind, calls, attempts)
            moments = [coin.uniform(0, runs.seconds) for _ in range(options.kills)]
            failed += attempt_all(name, "kill -9", "", [(f"after {s:.3f} s", lambda s=s: runs.kill(s)) for s in moments])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
