#!/usr/bin/env python3
"""Checks an evaluator against cases.json. Usage: check.py [--protocol NAME] PROGRAM. Exit 0 if all values agree."""
import json
import math
import pathlib
import subprocess
import sys


def differs(expected, got, tolerance):
    if expected is None or got is None:
        return expected is not got
    room = tolerance.get("absolute", 0) + tolerance.get("relative", 0) * abs(expected)
    return not math.isfinite(got) or abs(got - expected) > room


def check_case(program, case, data):
    """Returns what is wrong, and how many values were compared."""
    command = [program, "eval", case["file"], "--protocol", case["protocol"], *case["options"], "--json"]
    run = subprocess.run(command, cwd=data, capture_output=True, text=True)
    if run.returncode != 0:
        return [f"exit {run.returncode}: {run.stderr.strip()}"], 0
    got = {(v["name"], v.get("threshold")): v["value"]
           for protocol in json.loads(run.stdout)["protocols"] for v in protocol["values"]}
    wrong = []
    for value in case["values"]:
        key = (value["name"], value.get("threshold"))
        if key not in got:
            wrong.append(f"{key[0]} is missing")
        elif differs(value["value"], got[key], case["tolerance"]):
            wrong.append(f"{key[0]}{'' if key[1] is None else f' at {key[1]}'}: {got[key]}, expected {value['value']}")
    return wrong, len(case["values"])


def main():
    arguments, only = sys.argv[1:], None
    if arguments[:1] == ["--protocol"] and len(arguments) > 1:
        only, arguments = arguments[1], arguments[2:]
    if len(arguments) != 1:
        sys.exit(__doc__)
    here = pathlib.Path(__file__).resolve().parent
    program = arguments[0] if "/" not in arguments[0] else str(pathlib.Path(arguments[0]).resolve())
    cases = json.loads((here / "cases.json").read_text())["cases"]
    compared = failed = 0
    for case in cases:
        if only not in (None, case["protocol"]):
            continue
        wrong, count = check_case(program, case, here / "data")
        compared += count
        for line in wrong:
            failed += 1
            print(f"{case['file']} {case['protocol']} {' '.join(case['options'])}: {line}")
    if compared == 0:
        sys.exit("no value was compared")
    print(f"{compared} values compared, {failed} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
