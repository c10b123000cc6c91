"""expect.py FOLDER SUMMARY [DETAILS]

What the files below FOLDER hold, and for which GPUs it will do: in short into the file
SUMMARY, a line for each entry and verdict into DETAILS. `run.sh --update` stores the
summaries as expectations; with EXPECT=1 run.sh makes them anew and compares.

An own decoder, which never sees an answer of rocaudit: section headers, bundles,
compressed bundles, symbols and verdicts by the code below; e_flags and metadata of the
code objects, cut out as files, by llvm-readelf-22. It trusts its input, which pins.txt
names by digest: what it does not expect ends it.

Verdicts are those of ROCm 7.1, which has all of that but .kpack archives.

Sources: llvm/docs/AMDGPUUsage.rst (code objects), clang/docs/ClangOffloadBundler.rst
(bundles, compressed ones too), clr hip_fatbin.cpp (which entry serves a GPU).
"""

import collections
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

import binary
import summary

READELF = "llvm-readelf-22"
AT_ONCE = 32
SPIRV = b"\x03\x02\x23\x07"

# Of an entry without a code object.
UNKNOWN = {"elf_target": None, "version": 0, "kernels": 0, "names": [], "stubs": set()}

# s_nop, and s_endpgm and s_trap up to gfx10 and from gfx11: upper halves of the words.
S_NOP = 0xBF80
ENDS = 0xBF81, 0xBF92
ENDS_11 = 0xBFB0, 0xBF90

# What is stated of a GPU is what it comes with: ECC is on, and page retry off.
CDNA = {"sramecc": "+", "xnack": "-"}
DEVICES = {
    "gfx90a": CDNA,
    "gfx942": CDNA,
    "gfx1030": {},
    "gfx1100": {},
    "gfx1151": {},
    "gfx1201": {},
}

# gfx90a has none.
GENERIC = {
    "gfx942": "gfx9-4-generic",
    "gfx1030": "gfx10-3-generic",
    "gfx1100": "gfx11-generic",
    "gfx1151": "gfx11-generic",
    "gfx1201": "gfx12-generic",
}

# Processors that LLVM 22 no longer names, by the last byte of e_flags.
FORGOTTEN = {0x40: "gfx940", 0x4B: "gfx941"}

# Of a file with several bundles: the first that any has; partial comes in between.
WORST = ["unloadable", "feature-mismatch", "missing", "jit", "generic", "native"]


def unpacked(data, at):
    """(container, size in the file, content) of the bundle that begins there."""
    if data[at : at + 24] == binary.MAGIC:
        return "plain", None, memoryview(data)[at:]
    version, method = struct.unpack_from("<HH", data, at + 4)
    form, header = {2: ("<I", 24), 3: ("<Q", 32)}[version]
    (size,) = struct.unpack_from(form, data, at + 8)
    (whole,) = struct.unpack_from(form, data, at + 8 + struct.calcsize(form))
    packed = data[at + header : at + size]
    if method == 1:
        command = ["zstd", "-dcq", "--memory=2048MB"]
        content = subprocess.run(
            command, input=packed, stdout=subprocess.PIPE, check=True
        ).stdout
    else:
        content = zlib.decompress(packed)
    if len(content) != whole:
        raise SystemExit(f"{at}: {len(content)} bytes came out, {whole} are announced")
    return f"ccob{version}", size, memoryview(content)


def table(content):
    """(ID, offset, size) of the entries of a bundle, and where the last of them ends."""
    if content[:24] != binary.MAGIC:
        raise SystemExit("a compressed bundle holds no bundle")
    (count,) = struct.unpack_from("<Q", content, 24)
    row, rows = 32, []
    for _ in range(count):
        offset, size, named = struct.unpack_from("<QQQ", content, row)
        rows.append((bytes(content[row + 24 : row + 24 + named]).decode(), offset, size))
        row += 24 + named
    return rows, max([row, *(offset + size for _, offset, size in rows)])


def entry_of(name, target, offset, code):
    return {"id": name, "target": target, "offset": offset, "size": len(code),
            "code": code, **UNKNOWN}


def bundle_at(data, at):
    container, size, content = unpacked(data, at)
    rows, end = table(content)
    entries = []
    for name, offset, length in rows:
        target = name.split("-amdhsa-")[1].lstrip("-") if "-amdhsa-" in name else None
        entries.append(entry_of(name, target, offset, content[offset : offset + length]))
    return {"container": container, "offset": at, "size": size or end, "entries": entries}


def bundles_between(data, at, end):
    """One after the other; nothing but zeros lies between."""
    found = []
    while at < end:
        if data[at] == 0:
            at += 1
        elif data[at : at + 24] == binary.MAGIC or data[at : at + 4] == b"CCOB":
            found.append(bundle_at(data, at))
            at += found[-1]["size"]
        else:
            raise SystemExit(f"{at}: neither a bundle nor padding")
    return found


def raw(code, offset=0):
    entries = [entry_of(None, None, 0, code)]
    return {"container": "raw", "offset": offset, "size": len(code), "entries": entries}


def elsewhere():
    """Of a translation unit whose code is in .kpack archives."""
    return {"container": "kpack", "offset": 0, "size": 0, "entries": []}


def embedded(data, places):
    """Code objects among data are one set: the program picks of them as it likes."""
    first = places[0][0]
    entries = [entry_of(None, None, at - first, memoryview(data)[at : at + size])
               for at, size in places]
    end = max(at + size for at, size in places)
    return {"container": "embedded", "offset": first, "size": end - first,
            "entries": entries}


def unmarked(data):
    """What no section or wrapper tells of."""
    found, places, end = [], [], 0
    for at in binary.unmarked(data):
        if at < end:
            continue
        if data[at] == binary.MAGIC[0]:
            found.append(bundle_at(data, at))
            end = at + found[-1]["size"]
        else:
            places.append((at, binary.size_of(data, at)))
            end = at + places[-1][1]
    return found + ([embedded(data, places)] if places else [])


def bundles_of(data, name):
    """Of one file, in order."""
    if binary.is_code_object(data):
        return [raw(data)]
    if data[:24] == binary.MAGIC or data[:4] == b"CCOB":
        return bundles_between(data, 0, len(data))
    if not binary.is_host(data) or re.match(binary.RUNTIME, name):
        return []
    found = []
    for section, kind, offset, size, _ in binary.sections(data):
        if section == ".hip_fatbin" and kind != binary.SHT_NOBITS:
            found += bundles_between(data, offset, offset + size)
        elif re.match(r"\.llvm\.offloading|__CLANG_OFFLOAD_BUNDLE__.*amd", section):
            raise SystemExit(f"{section} is not expected in a wheel")
    wrappers, split = binary.wrappers(data)
    found += [elsewhere() for _ in range(split)]
    if wrappers != len(found):
        raise SystemExit(f"{wrappers} translation units and {len(found)} bundles")
    found += unmarked(data)
    return found


def ends_at_once(data, descriptor, processor):
    """Whether the first instruction of a kernel ends it, or traps."""
    (code,) = struct.unpack_from("<q", data, binary.in_file(data, descriptor) + 16)
    at = binary.in_file(data, descriptor + code)
    (word,) = struct.unpack_from("<I", data, at)
    while word >> 16 == S_NOP:
        at += 4
        (word,) = struct.unpack_from("<I", data, at)
    return word >> 16 in (ENDS_11 if processor.startswith(("gfx11", "gfx12")) else ENDS)


def kernels_by_symbols(data, processor):
    """Names of what has a descriptor NAME.kd, and which of them are empty.

    A body without a single instruction has size 0 and shares its address with what
    comes next, or lies where there is no code. Size 0 alone says nothing: assembly may
    leave it out.
    """
    rows = binary.symbols(data)
    functions = {name: (address, size) for name, address, size in rows}
    taken, code = {address for _, address, size in rows if size > 0}, binary.code(data)
    names, empty = set(), set()
    for name, descriptor, _ in rows:
        if name.endswith(".kd"):
            names.add(name[:-3])
            address, size = functions[name[:-3]]
            inside = any(address in part for part in code)
            nothing = size == 0 and (address in taken or not inside)
            if nothing or ends_at_once(data, descriptor, processor):
                empty.add(name[:-3])
    return names, empty


def target_of(flags, names):
    """gfx90a:sramecc+:xnack- of `gfx90a, xnack-, sramecc+`; without a sign: any."""
    words = names.split(", ")
    if flags & 0xFF in FORGOTTEN:
        words.insert(0, FORGOTTEN[flags & 0xFF])
    signed = sorted(word for word in words[1:] if word[-1] in "+-")
    return ":".join([words[0], *signed])


def by_readelf(files):
    """For each file {elf_target, version, generic, names}."""
    found = []
    out = subprocess.run(
        [READELF, "-h", "--notes", *files], capture_output=True, text=True, check=True
    ).stdout
    for line in out.splitlines():
        if line.startswith("ELF Header:"):
            found.append({"generic": 0, "names": []})
        elif match := re.match(r" *ABI Version: +(\d+)$", line):
            found[-1]["version"] = int(match[1]) + 2
        elif match := re.match(r" *Flags: +0x([0-9A-Fa-f]+), (.*)$", line):
            found[-1]["elf_target"] = target_of(int(match[1], 16), match[2])
            found[-1]["generic"] = int(match[1], 16) >> 24
        # Only keys of a kernel itself stand that far to the left.
        elif match := re.match(r"(?:  - |    )\.name: +(.*)$", line):
            found[-1]["names"].append(match[1].strip("'\""))
    if len(found) != len(files):
        raise SystemExit(f"{READELF} read {len(found)} of {len(files)} code objects")
    return found


def read_code(entries, folder):
    """Adds what the code objects say of themselves; a few at a time are files."""
    for i in range(0, len(entries), AT_ONCE):
        part = entries[i : i + AT_ONCE]
        files = [os.path.join(folder, f"{k}.co") for k in range(len(part))]
        for entry, file in zip(part, files):
            with open(file, "wb") as out:
                out.write(entry["code"])
        for entry, told in zip(part, by_readelf(files)):
            entry.update(told, kernels=len(told["names"]))
            names, entry["stubs"] = kernels_by_symbols(bytes(entry["code"]),
                                                       entry["elf_target"])
            if names != set(told["names"]):
                odd = sorted(names ^ set(told["names"]))
                raise SystemExit(f"{entry['id']}: symbols and metadata differ: {odd[:3]}")


def fits(stated, device):
    """What a target leaves open fits."""
    return all(DEVICES[device].get(part[:-1]) == part[-1] for part in stated)


def serves(entry, device):
    """How an entry serves a device, or None; `feature-mismatch` if only nearly."""
    processor, *stated = (entry["target"] or entry["elf_target"]).split(":")
    if processor == "amdgcnspirv":
        return "jit"
    flagged, *fixed = entry["elf_target"].split(":")
    if processor == device and not fits(stated, device):
        return "feature-mismatch"
    if processor not in (device, GENERIC.get(device)) or not fits(stated, device):
        return None
    if processor != flagged or not fits(fixed, device):
        return "unloadable"
    if processor == device:
        return "native"
    return "generic" if entry["version"] == 6 and entry["generic"] > 0 else "unloadable"


def names_beside(bundle, chosen):
    """Kernels of the chosen entry; of a set, those of all that are for its target."""
    if bundle["container"] != "embedded":
        return set(chosen["names"])
    return set().union(*(entry["names"] for entry in bundle["entries"]
                         if entry["elf_target"] == chosen["elf_target"]))


def judge_bundle(bundle, device):
    """(verdict or None without any device code, kernels missing)."""
    if bundle["container"] == "kpack":
        return "unloadable", 0
    entries = [entry for entry in bundle["entries"]
               if entry["size"] and re.match("hip-|hipv4-|hcc-", entry["id"] or "hip-")]
    if not entries:
        return None, 0
    names = set().union(*(entry["names"] for entry in entries))
    code = set().union(*(set(entry["names"]) - entry["stubs"] for entry in entries))
    said = {serves(entry, device): entry for entry in reversed(entries)}
    # HIP asks for the processor first, then for its generic target.
    for verdict in ("native", "generic"):
        if chosen := said.get(verdict):
            empty = chosen["stubs"] & code
            there = names_beside(bundle, chosen)
            return verdict, len(names - there) + len(empty)
    if "unloadable" not in said and "jit" in said:
        return "jit", 0
    for verdict in ("unloadable", "feature-mismatch"):
        if verdict in said:
            return verdict, len(names)
    return "missing", len(names)


def judge(bundles, device):
    said = [judge_bundle(bundle, device) for bundle in bundles]
    said = [(verdict, missing) for verdict, missing in said if verdict]
    covered = sum(verdict in ("native", "generic", "jit") for verdict, _ in said)
    verdict = min((verdict for verdict, _ in said), key=WORST.index)
    if verdict == "missing" and covered:
        verdict = "partial"
    return {"device": device, "verdict": verdict, "covered": covered, "total": len(said),
            "missing": sum(missing for _, missing in said)}


def read_file(path, name):
    """Its bundles, each entry with its bytes, or what it is without any."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        bundles = bundles_of(data, os.path.basename(path))
    except SystemExit as odd:
        raise SystemExit(f"{name}: {odd}") from None
    kpack = binary.kpack(data) if bundles and binary.is_host(data) else None
    kind = "" if bundles else binary.kind_of(data, os.path.basename(path))
    return {"path": name, "bundles": bundles, "kpack": kpack, "kind": kind}


def has_code_object(entry):
    is_host = (entry["id"] or "").startswith("host")
    return entry["size"] and not is_host and entry["code"][:4] != SPIRV


def read_folder(top):
    """The files with device code, and how many there are of each kind without."""
    found = []
    for folder, _, names in os.walk(top):
        paths = [os.path.join(folder, name) for name in names]
        found += [read_file(path, os.path.relpath(path, top)) for path in paths]
    files = [file for file in found if file["bundles"]]
    entries = [entry for file in files for bundle in file["bundles"]
               for entry in bundle["entries"] if has_code_object(entry)]
    with tempfile.TemporaryDirectory() as folder:
        read_code(entries, folder)
    for file in files:
        file["verdicts"] = [judge(file["bundles"], device) for device in DEVICES]
    return files, collections.Counter(file["kind"] for file in found)


def main():
    top, *outputs = sys.argv[1:]
    files, others = read_folder(top)
    texts = summary.summary(files, others), summary.details(files)
    for path, lines in zip(outputs, texts):
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(lines)


main()
