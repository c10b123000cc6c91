"""What tools say of a file: which code objects they list, and how they end.

Part of table.py. A tool has a title, the program it needs, and `ask(path, scratch)`, which
gives an Answer, or None where the tool cannot be asked. Entries without bytes are not
counted: their target is not present. Where a tool tells a place, or writes bytes, those
have to be a code object of the target.
"""

import collections
import dataclasses
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time

TIMEOUT = 30
ADDRESS_SPACE = 4 << 30
WRITTEN = 256 << 20

# As the tools write entry IDs, at the end of a line or of a file's name.
ENTRY_ID = re.compile(r"(?:hip|hipv4|openmp)-[a-z0-9]+-amd-amdhsa-(?:unknown)?-?"
                      r"(gfx[0-9a-z:+-]+|amdgcnspirv)$")
URI = re.compile(r"file://(?P<path>[^#?]*)[#?]offset=(?P<offset>\d+)&size=(?P<size>\d+)$")

# e_machine at 18, and EF_AMDGPU_MACH, the low byte of e_flags at 48: AMDGPUUsage of LLVM.
EM_AMDGPU = b"\xe0\0"
MACH = {"gfx803": 0x2A, "gfx90a": 0x3F, "gfx942": 0x4C, "gfx1030": 0x36, "gfx1100": 0x41,
        "gfx9-generic": 0x51, "gfx9-4-generic": 0x5F, "gfx11-generic": 0x54}
SPIRV = b"\x03\x02\x23\x07"
BITCODE = b"BC\xc0\xde"


@dataclasses.dataclass
class Answer:
    """What a tool says, and how it ended."""

    found: collections.Counter # targets, one for each code object
    run: "Run"
    misled: str = "" # what is not that of a code object it lists: place or bytes
    once: bool = False # whether it names each target only once
    bundles: int = 0 # how many it lists, of rocaudit
    bitcode: int = 0 # how many of `found` it says are not code, of rocaudit
    why: str = "" # what it says itself that is wrong, of rocaudit


class Run:
    """A command in a folder: never for long, nor with all of the memory."""

    def __init__(self, command, folder):
        began = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            # timeout(1) becomes the parent: what wait4() tells is of the largest child.
            process = subprocess.Popen(["timeout", "-k", "1", str(TIMEOUT), *command],
                                       cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err, preexec_fn=limit)
            _, status, usage = os.wait4(process.pid, 0)
            self.code = process.returncode = os.waitstatus_to_exitcode(status)
            self.out, self.err = text(out), text(err)
        self.memory = usage.ru_maxrss << 10
        self.seconds = time.monotonic() - began
        self.killed = (self.code < 0 or self.code == 124 or 128 < self.code < 160 or
                       "out of memory" in self.err.lower())


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_FSIZE, (WRITTEN, WRITTEN))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def text(file):
    file.seek(0)
    return file.read().decode(errors="replace")


def is_code(data, target):
    """Whether bytes are what a target would run."""
    if target == "amdgcnspirv":
        return data[:4] == SPIRV
    mach = MACH[target.split(":")[0]]
    return data[:4] == b"\x7fELF" and data[18:20] == EM_AMDGPU and data[48] == mach


def copied(path, scratch):
    """A copy that the tool can write beside, in an empty folder."""
    shutil.rmtree(scratch, ignore_errors=True)
    top = path.split("/")[0] # with what is beside a file that is in a folder
    if os.path.isdir(top):
        shutil.copytree(top, f"{scratch}/{top}")
    else:
        os.makedirs(scratch)
        shutil.copy(top, scratch)


# ---- the tools ---------------------------------------------------------------------

class Rocaudit:
    """What it lists, and whether what it would extract is that."""

    title = "rocaudit"

    def __init__(self, program):
        self.program = program

    def ask(self, path, scratch):
        run = Run([self.program, "ls", "--format=json", path], ".")
        try:
            report = json.loads(run.out)
        except ValueError:
            return Answer(collections.Counter(), run, why="no JSON")
        bundles = [bundle for file in report["files"] for bundle in file["bundles"]]
        entries = [entry for bundle in bundles for entry in bundle["entries"]
                   if entry["size"] and (entry["target"] or entry["elf_target"])]
        found = [entry["target"] or entry["elf_target"] for entry in entries]
        answer = Answer(collections.Counter(found), run, bundles=len(bundles),
                        why=doubt(report, entries))
        answer.bitcode = sum(entry["code_object_version"] is None and
                             entry["target"] != "amdgcnspirv" for entry in entries)
        if run.code == 0 and not any(entry["archive"] for entry in entries):
            answer.why = answer.why or self.extract(path, scratch, answer.found)
        return answer

    def extract(self, path, scratch, listed):
        """What is wrong with the files it writes of what it lists, if anything."""
        shutil.rmtree(scratch, ignore_errors=True)
        run = Run([self.program, "extract", "--format=json", "-o", scratch, path], ".")
        try:
            files = json.loads(run.out)["files"]
        except ValueError:
            return "extract: no JSON"
        written = collections.Counter()
        for entry in (entry for file in files for entry in file["written"]):
            if entry["status"] != "written":
                return f"extract: {entry['reason']}"
            target = entry["target"] or entry["elf_target"]
            with open(entry["path"], "rb") as stream:
                head = stream.read(64)
            if is_code(head, target) or head[:4] == BITCODE:
                written[target] += 1
        return "" if written == listed else f"extract: {written.total()} code objects"


def doubt(report, entries):
    """What rocaudit itself says that is not right with the file."""
    for entry in entries:
        target, seen = entry["target"], entry["elf_target"]
        if target and seen and target != seen:
            return f"{target} is said to be {seen}"
    for told in report["diagnostics"]:
        if told["severity"] == "error":
            return f"{told['name']}: {told['detail']}"
    odd = [file["status"] for file in report["files"] if file["status"] != "ok"]
    return f"status {odd[0]}" if odd else ""


class Objdump:
    """It extracts, to files beside its input; of some images it tells only."""

    title, program = "llvm-objdump", "llvm-objdump-22"
    arch = re.compile(r"^arch +(\S+)$", re.M)

    def ask(self, path, scratch):
        copied(path, scratch)
        before = set(walk(scratch))
        run = Run([self.program, "--offloading", path], scratch)
        answer = Answer(collections.Counter(self.arch.findall(run.out)), run)
        for file in set(walk(scratch)) - before:
            match = ENTRY_ID.search(file)
            with open(file, "rb") as written:
                data = written.read()
            if match and data:
                answer.found[match[1]] += 1
                if not is_code(data, match[1]):
                    answer.misled = "bytes"
        return answer


class Listing:
    """Lines with an entry ID and a URI."""

    def ask(self, path, _):
        run = Run([self.program, *self.options, path], ".")
        answer = Answer(collections.Counter(), run)
        for line in run.out.splitlines():
            words = line.split()
            uri = URI.match(words[-1]) if len(words) > 1 else None
            match = ENTRY_ID.search(words[-2]) if uri else None
            if match and int(uri["size"]):
                answer.found[match[1]] += 1
                if not is_code(at(uri), match[1]):
                    answer.misled = "place"
        return answer


class Readobj(Listing):
    title, program = "llvm-readobj", "llvm-readobj-22"
    options = ["--offloading"]


class RocObjLs(Listing):
    title = program = "roc-obj-ls"
    options = ["-v"]


class Bundler:
    """It lists the targets of a bundle that is by itself, each once."""

    title, program = "bundler", "clang-offload-bundler-22"

    def ask(self, path, _):
        if os.path.isdir(path):
            return None
        return self.names(path, "a" if path.endswith(".a") else "o")

    def names(self, path, kind):
        run = Run([self.program, "--list", f"--type={kind}", f"--input={path}"], ".")
        matches = [ENTRY_ID.search(line.strip()) for line in run.out.splitlines()]
        found = {match[1] for match in matches if match}
        return Answer(collections.Counter(found), run, once=True)


class BundlerOfSection(Bundler):
    """The same, helped by llvm-objcopy-22 to the section."""

    title = "its section"

    def ask(self, path, scratch):
        shutil.rmtree(scratch, ignore_errors=True)
        os.makedirs(scratch)
        section = f"{scratch}/section"
        Run(["llvm-objcopy-22", f"--dump-section=.hip_fatbin={section}", path,
             f"{scratch}/copy"], ".")
        return self.names(section, "o") if os.path.exists(section) else None


def walk(folder):
    for root, _, names in os.walk(folder):
        yield from (os.path.join(root, name) for name in names)


def at(uri):
    """The first bytes at a URI."""
    try:
        with open(uri["path"], "rb") as file:
            file.seek(int(uri["offset"]))
            return file.read(64)
    except OSError:
        return b""


PEERS = [Objdump(), Readobj(), RocObjLs(), Bundler(), BundlerOfSection()]
