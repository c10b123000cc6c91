"""compare.py ROCAUDIT LIBRARY FOLDER

Every code object of a library in plain bundles, as rocaudit lists it and as
llvm-readelf-22 shows it. The objects are cut out here, by the entry tables alone, into
FOLDER. Prints an `ok` or `not ok` line for each and exits 0.
"""

import json
import mmap
import os
import re
import struct
import subprocess
import sys

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
READELF = "llvm-readelf-22"
AT_ONCE = 64

# The key of a kernel in the metadata, and its name in the listing.
KEYS = {
    "wavefront_size": "wave_size",
    "vgpr_count": "vgprs",
    "sgpr_count": "sgprs",
    "vgpr_spill_count": "vgpr_spills",
    "sgpr_spill_count": "sgpr_spills",
    "group_segment_fixed_size": "lds",
    "private_segment_fixed_size": "scratch",
    "kernarg_segment_size": "kernarg",
    "max_flat_workgroup_size": "max_workgroup",
}


def fatbin(data):
    """Offset and size of .hip_fatbin, by the section headers of an ELF of 64 bits."""
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    rows = [struct.unpack_from("<IIQQQQ", data, table + size * i) for i in range(count)]
    for row in rows:
        start = rows[names][4] + row[0]
        if data[start : start + 12] == b".hip_fatbin\0":
            return row[4], row[5]
    raise SystemExit("there is no .hip_fatbin")


def entries(data):
    """(bundle, ID, offset in the file, size) of each entry, in order."""
    start, size = fatbin(data)
    end = start + size
    at, bundle = start, 0
    while (at := data.find(MAGIC, at, end)) >= 0:
        (count,) = struct.unpack_from("<Q", data, at + 24)
        row, last = at + 32, at
        for _ in range(count):
            offset, length, named = struct.unpack_from("<QQQ", data, row)
            name = data[row + 24 : row + 24 + named].decode()
            row += 24 + named
            last = max(last, at + offset + length)
            yield bundle, name, at + offset, length
        at, bundle = max(last, row), bundle + 1


def cut(path, folder):
    """The code objects as files; (bundle, ID, file) of each."""
    found = []
    with open(path, "rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        for bundle, name, offset, size in entries(data):
            if name.startswith("host") or size == 0:
                continue
            target = os.path.join(folder, f"{len(found):04}.co")
            with open(target, "wb") as out:
                out.write(data[offset : offset + size])
            found.append((bundle, name, target))
    return found


def readelf(files):
    """File name to what llvm-readelf says of its header and notes."""
    said = {}
    for i in range(0, len(files), AT_ONCE):
        part = files[i : i + AT_ONCE]
        out = subprocess.run(
            [READELF, "-h", "--notes", *part], capture_output=True, text=True, check=True
        ).stdout
        texts = re.split(r"^File: (.*)\n", "\n" + out, flags=re.M)
        if len(part) == 1:
            texts = ["", part[0], out]
        said.update(zip(texts[1::2], texts[2::2]))
    return said


def target_of(flags):
    """gfx90a:sramecc+:xnack- of `gfx90a, xnack-, sramecc+`; without a sign: any."""
    words = flags.split(", ")[1:]
    signed = sorted(word for word in words[1:] if word[-1] in "+-")
    return ":".join([words[0], *signed])


def kernels_of(text):
    """Name to resources; only keys of a kernel itself stand that far to the left."""
    kernels, now = {}, None
    for line in text.splitlines():
        match = re.match(r"(  - |    )\.([a-z_]+): *(.*)$", line)
        if not match:
            continue
        if match[1] == "  - ":
            now = {}
        if match[2] == "name":
            kernels[match[3].strip("'\"")] = now
        elif match[2] in KEYS:
            now[KEYS[match[2]]] = int(match[3])
    return kernels


def by_readelf(text):
    (flags,) = re.findall(r"^ *Flags: +(.*)$", text, re.M)
    (version,) = re.findall(r"^ *ABI Version: +(\d+)$", text, re.M)
    return {
        "target": target_of(flags),
        "version": int(version) + 2,
        "kernels": kernels_of(text),
    }


def by_rocaudit(entry):
    names = KEYS.values()
    return {
        "target": entry["elf_target"],
        "version": entry["code_object_version"],
        "kernels": {
            kernel["name"]: {name: kernel[name] for name in names}
            for kernel in entry["kernels_detail"]
        },
    }


def difference(ours, theirs):
    for key in ("target", "version"):
        if ours[key] != theirs[key]:
            return f"{key} {ours[key]}, LLVM says {theirs[key]}"
    if ours["kernels"].keys() != theirs["kernels"].keys():
        odd = sorted(ours["kernels"].keys() ^ theirs["kernels"].keys())
        return f"{len(odd)} kernels are in one listing only, such as {odd[0]}"
    for name, kernel in theirs["kernels"].items():
        # A key that the metadata leave out is 0.
        whole = {key: kernel.get(key, 0) for key in KEYS.values()}
        if ours["kernels"][name] != whole:
            return f"{name}: {ours['kernels'][name]}, LLVM says {whole}"
    return None


def listed(rocaudit, path):
    """(bundle, ID) of each entry with code, and the entry, in order."""
    out = subprocess.run(
        [rocaudit, "ls", "--kernels", "--format", "json", path],
        capture_output=True,
        check=True,
    ).stdout
    (file,) = json.loads(out)["files"]
    return [
        (bundle["index"], entry["id"], entry)
        for bundle in file["bundles"]
        for entry in bundle["entries"]
        if entry["size"] > 0 and not entry["id"].startswith("host")
    ]


def main():
    rocaudit, path, folder = sys.argv[1:]
    ours, theirs = listed(rocaudit, path), cut(path, folder)
    name = os.path.basename(path)
    same = [x[:2] for x in ours] == [x[:2] for x in theirs]
    print("ok" if same and ours else "not ok", f"{name}: {len(theirs)} code objects,",
          f"{len(ours)} listed")
    said = readelf([file for _, _, file in theirs])
    for (bundle, entry_id, entry), (_, _, file) in zip(ours, theirs):
        told = difference(by_rocaudit(entry), by_readelf(said[file]))
        print(f"not ok {name} bundle {bundle} {entry_id}: {told}" if told
              else f"ok {name} bundle {bundle} {entry_id}")


main()
