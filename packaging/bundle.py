#!/usr/bin/env python3
"""Puts the program, its libraries and its data into one folder that can be moved (make wheel, make portable).

  bundle.py BUILD OUT [--wheel | --full]

BUILD is a build folder, OUT is made anew: bin/, lib/, share/aqbench/, licences/ and LIBRARIES.md, the list of the
libraries in it with Debian's packages and their licences. --wheel adds the Python package (OUT is then the package
itself) and gives the libraries names of their own, so that other packages in the same process keep theirs. --full adds
the modules and all that they need. Needs Debian, patchelf and binutils.

Every file is checked: no symbol newer than glibc 2.34 and GCC 11's libstdc++ (Ubuntu 22.04 and RHEL 9 have both); with
--full not newer than Debian 12's own.
"""

import argparse
import pathlib
import re
import shutil
import struct
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent
LIMITS = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13)}
FULL_LIMITS = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)}
# Of the system: the C library, and what every x86-64 Linux with a desktop's or a server's base has beside it.
SYSTEM = re.compile(
    r"^(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv|libutil|libstdc\+\+|libgcc_s)\.so|^linux-vdso")


def fail(text):
    sys.exit(f"bundle: {text}")


def output(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def libraries_of(files):
    """Returns {name: file} of the libraries that these files load and the system may lack."""
    found = {}
    for file in files:
        for line in output("ldd", file).splitlines():
            name, _, rest = line.strip().partition(" => ")
            if "not found" in rest:
                fail(f"{file}: {name} is not found")
            if rest and not SYSTEM.match(name):
                found[name] = pathlib.Path(rest.rsplit(" (", 1)[0]).resolve()
    return found


def needs_of(file):
    """Returns {"GLIBC": newest version, ...} of the symbols that a file needs."""
    newest = {}
    for kind, version in re.findall(r"\b(GLIBC|GLIBCXX|CXXABI)_([0-9.]+)\b", output("objdump", "-T", file)):
        numbers = tuple(map(int, version.rstrip(".").split(".")))
        newest[kind] = max(newest.get(kind, ()), numbers)
    return newest


def lower_condition_variable(file):
    """Lets a library take condition_variable::wait by the name that it had before GCC 12.

    Debian 12's libbenchmark needs GLIBCXX_3.4.30 for nothing else; libstdc++ has it as 3.4.11, too. The entry of the
    version is turned into that of the older one: the place of its name and the hash of it.
    """
    used = [line for line in output("objdump", "-T", file).splitlines() if "GLIBCXX_3.4.30" in line]
    if not used:
        return
    if any("condition_variable4wait" not in line for line in used):
        fail(f"{file}: needs of GLIBCXX_3.4.30 more than condition_variable::wait")
    data = bytearray(file.read_bytes())

    def elf_hash(name):
        value = 0
        for byte in name:
            value = (value << 4) + byte
            high = value & 0xF0000000
            value = (value ^ (high >> 24)) & ~high if high else value
        return value

    sections, entry_size, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, sections + i * entry_size) for i in range(count)]
    needs = next(header for header in headers if header[1] == 0x6FFFFFFE)
    start = headers[needs[6]][4]
    texts = bytes(data[start:start + headers[needs[6]][5]])
    at, changed = needs[4], 0
    older = texts.index(b"GLIBCXX_3.4.11\0")
    while True:
        _, entries, _, first, following = struct.unpack_from("<HHIII", data, at)
        entry = at + first
        for _ in range(entries):
            name = struct.unpack_from("<I", data, entry + 8)[0]
            if texts[name:].startswith(b"GLIBCXX_3.4.30\0"):
                struct.pack_into("<I", data, entry, elf_hash(b"GLIBCXX_3.4.11"))
                struct.pack_into("<I", data, entry + 8, older)
                changed += 1
            entry += struct.unpack_from("<I", data, entry + 12)[0]
        if not following:
            break
        at += following
    if changed != 1:
        fail(f"{file}: {changed} entries of GLIBCXX_3.4.30")
    file.write_bytes(data)


def forbid_executable_stack(file):
    """Clears the wish for an executable stack, which glibc 2.41 refuses: libfilament has it for want of a note."""
    data = bytearray(file.read_bytes())
    at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for header in range(at, at + count * size, size):
        kind, flags = struct.unpack_from("<II", data, header)
        if kind == 0x6474E551 and flags & 1:
            struct.pack_into("<I", data, header + 4, flags & ~1)
            file.write_bytes(data)


def package_of(file):
    """Returns Debian's package of a library and its version; libraries stand below /lib or /usr/lib."""
    for path in (file, pathlib.Path("/usr" + str(file)), pathlib.Path(str(file).removeprefix("/usr"))):
        found = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(": ")[0].split(",")[0]
            return package.split(":")[0], output("dpkg-query", "-W", "-f=${Version}", package)
    fail(f"{file}: no Debian package has it, so its licence is unknown")


def list_libraries(out, taken, stub):
    """Writes LIBRARIES.md and the licences; `taken` is {file in OUT: where it is from}."""
    licences = out / "licences"
    licences.mkdir()
    rows = []
    for file, source in sorted(taken.items()):
        package, version = package_of(source)
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright")
        if not text.exists():
            fail(f"{package}: no licence at {text}")
        shutil.copyfile(text, licences / f"{package}.txt")
        names = dict.fromkeys(re.findall(r"^License: *(\S[^\n]*)", text.read_text(errors="replace"), re.M))
        rows.append(f"| `{file.name}` | {package} {version} | {', '.join(names) or 'see the text'} |")
    shutil.copyfile(SOURCES / "LICENSE", licences / "aqbench.txt")
    (out / "LIBRARIES.md").write_text(
        "# Libraries in this folder\nUnchanged copies of Debian 12's, except for names and search paths; their "
        "licences are in `licences/`. " + ("libjbig is a stub of aqbench's." if stub else "")
        + "\n\n| file | Debian package | licences named in its copyright file |\n|---|---|---|\n"
        + "\n".join(rows) + "\n")


def copy_data(build, out):
    """Copies what the program finds beside itself, and the script of CI."""
    data = out / "share" / "aqbench"
    for folder in ("baselines", "schemas"):
        (data / folder).mkdir(parents=True)
    for file in SOURCES.glob("baselines/*.json"):
        shutil.copyfile(file, data / "baselines" / file.name)
    schema = subprocess.run([build / "aqbench", "schema", "results"], check=True, capture_output=True).stdout
    (data / "schemas" / "results.schema.json").write_bytes(schema)
    gate = out / "bin" / "aqbench-ci-gate"
    shutil.copyfile(SOURCES / "scripts" / "ci_gate.sh", gate)
    gate.chmod(0o755)


def copy_python(build, out):
    for file in sorted((SOURCES / "python" / "aqbench").iterdir()):
        if file.suffix in (".py", ".pyi", ".typed") or file.name == "py.typed":
            shutil.copyfile(file, out / file.name)
    shutil.copyfile(SOURCES / "clients" / "aqbench_stages.py", out / "_stages.py")


def copy_stripped(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755)
    subprocess.run(["strip", "--strip-unneeded", target], check=True)


def check_versions(files, limits):
    """Fails unless the system may be as old as the limits say; returns the newest that is needed."""
    newest = {}
    for file in files:
        for kind, version in needs_of(file).items():
            if version > limits[kind]:
                fail(f"{file}: needs {kind}_{'.'.join(map(str, version))}; at most "
                     f"{'.'.join(map(str, limits[kind]))}: old_symbols.cc binds older names")
            newest[kind] = max(newest.get(kind, ()), version)
    return newest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--wheel", action="store_true")
    kind.add_argument("--full", action="store_true")
    asked = parser.parse_args()
    build, out = asked.build.resolve(), asked.out
    shutil.rmtree(out, ignore_errors=True)
    lib = out / "lib"
    lib.mkdir(parents=True)
    # Files of the project: where they go, and the way from there to lib/.
    own = {build / "aqbench": (out / "bin" / "aqbench", "$ORIGIN/../lib")}
    if asked.wheel:
        copy_python(build, out)
        own[build / "python" / "aqbench" / "_aqbench.so"] = (out / "_aqbench.so", "$ORIGIN/lib")
        own[build / "libaqbench.so.1"] = (lib / "libaqbench.so.1", "$ORIGIN")
    if asked.full:
        for module in sorted(build.glob("libaqbench_*.so")):
            if module.name != "libaqbench_fault_shim.so":
                own[module] = (lib / "aqbench" / module.name, "$ORIGIN/..")
    found = {name: file for name, file in libraries_of(own).items() if not name.startswith("libaqbench")}
    taken, made = {}, []
    for name, file in found.items():
        new = re.sub(r"^([^.]+)", r"\1-aqbench", name) if asked.wheel else name
        if name.startswith("libjbig.so") and not asked.full:
            subprocess.run(["cc", "-O1", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", lib / new,
                            SOURCES / "packaging" / "no_jbig.c"], check=True)
            made.append(lib / new)
            continue
        copy_stripped(file, lib / new)
        taken[lib / new] = file
        lower_condition_variable(lib / new)
        forbid_executable_stack(lib / new)
    for source, (target, _) in own.items():
        copy_stripped(source, target)
    renamed = [f for name in found for f in ("--replace-needed", name, re.sub(r"^([^.]+)", r"\1-aqbench", name))]
    files = [*taken, *made, *(target for target, _ in own.values())]
    for file in files:  # one change for each call: patchelf 0.14 mixes several up
        if asked.wheel:
            subprocess.run(["patchelf", *renamed, file], check=True)
        if asked.wheel and (file in taken or file in made):
            subprocess.run(["patchelf", "--set-soname", file.name, file], check=True)
        path = next((way for target, way in own.values() if target == file), "$ORIGIN")
        subprocess.run(["patchelf", "--set-rpath", path, file], check=True)
    copy_data(build, out)
    list_libraries(out, taken, bool(made))
    newest = check_versions(files, FULL_LIMITS if asked.full else LIMITS)
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    versions = ", ".join(f"{kind} {'.'.join(map(str, version))}" for kind, version in sorted(newest.items()))
    print(f"{out}: {size / 1e6:.1f} MB, {len(taken)} libraries; needs {versions}")


main()
