"""ELF files of 64 bits, and what of them is device code without being a bundle.

Part of expect.py: it trusts its input, and what it does not expect ends it.

Sources: the ELF specification; llvm/docs/AMDGPUUsage.rst for code objects; for libraries
whose code is in .kpack archives, rocm-systems shared/kpack: their wrappers have another
magic number, and a section names the archives in MessagePack.
"""

import re
import struct

EM_AMDGPU = 224
PT_LOAD = 1
PF_X = 1
ET_DYN = 3
SHT_NOBITS = 8
SHT_DYNSYM = 11

# How bundles begin, and code objects of 64 bits for HSA.
MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
UNMARKED = re.escape(MAGIC) + b"|" + re.escape(b"\x7fELF\2\1\1\x40")
WRAPPER = 24
KPACK_WRAPPER = 0x4B504948
CUDA = ".nv_fatbin", "__nv_relfatbin"
ARCHIVES = b"!<arch>\n", b"PK\3\4", b"\x1f\x8b", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"
# auditwheel puts eight digits into the names of what it bundles.
RUNTIME = r"libhsa-runtime64(-[0-9a-f]{8})?\.so"


def sections(data):
    """(name, type, offset, size, link) of each section."""
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    if table == 0:
        return []
    rows = [struct.unpack_from("<IIQQQQI", data, table + size * i) for i in range(count)]
    text = rows[names][4]
    return [(string(data, text + row[0]), row[1], row[4], row[5], row[6]) for row in rows]


def string(data, at):
    return data[at : data.find(b"\0", at)].decode()


def is_host(data):
    return data[:5] == b"\x7fELF\2" and not is_code_object(data)


def is_code_object(data):
    return data[:4] == b"\x7fELF" and data[18:20] == EM_AMDGPU.to_bytes(2, "little")


def kind_of(data, name):
    """Of a file without AMD device code."""
    if data[:4] != b"\x7fELF":
        return "archive" if data.startswith(ARCHIVES) else "other"
    if re.match(RUNTIME, name):
        return "runtime-internal"
    named = {row[0] for row in sections(data)} if data[4] == 2 else set()
    return "cuda-only" if named.intersection(CUDA) else "elf"


def symbols(data):
    """(name, address, size) of the dynamic symbols."""
    rows, found = sections(data), []
    for _, kind, offset, size, link in rows:
        if kind == SHT_DYNSYM:
            for at in range(offset, offset + size, 24):
                name, _, address, length = struct.unpack_from("<IIQQ", data, at)
                found.append((string(data, rows[link][2] + name), address, length))
    return found


def program_headers(data):
    """(type, flags, offset, address, physical address, bytes in the file) of each."""
    (table,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    return [struct.unpack_from("<IIQQQQ", data, table + size * i) for i in range(count)]


def segments(data):
    """(offset, address, bytes in the file) of what is loaded."""
    rows = program_headers(data)
    return [(row[2], row[3], row[5]) for row in rows if row[0] == PT_LOAD]


def code(data):
    """The addresses of what is loaded to be executed, as ranges."""
    rows = program_headers(data)
    return [
        range(row[3], row[3] + row[5])
        for row in rows
        if row[0] == PT_LOAD and row[1] & PF_X
    ]


def in_file(data, address):
    """Where an address of a segment lies in the file."""
    for offset, start, length in segments(data):
        if start <= address < start + length:
            return offset + address - start
    raise SystemExit(f"{address:#x} lies in no segment")


def wrappers(data):
    """(all, those whose code is in .kpack archives) of a host file."""
    found = []
    for name, _, offset, size, _ in sections(data):
        if name == ".hipFatBinSegment":
            found += [struct.unpack_from("<I", data, at)[0]
                      for at in range(offset, offset + size, WRAPPER)]
    return len(found), found.count(KPACK_WRAPPER)


def unmarked(data):
    """Offsets of code objects, and of bundles, in the data of a host file.

    Mojo links code objects so, and TensorFlow bundles of its own; they are loaded by
    address, and no section or wrapper tells of them. The HSA runtime has some too, for
    its own use. Those in a bundle are listed as well.
    """
    found = []
    for name, kind, offset, size, _ in sections(data):
        if name == ".hip_fatbin" or kind == SHT_NOBITS:
            continue
        for match in re.finditer(UNMARKED, memoryview(data)[offset : offset + size]):
            at = offset + match.start()
            if is_dynamic(data, at) or is_table(data, at):
                found.append(at)
    return sorted(found)


def is_dynamic(data, at):
    told = struct.unpack_from("<HH", data, at + 16)
    return data[at] == 0x7F and told == (ET_DYN, EM_AMDGPU)


def is_table(data, at):
    """Whether a bundle has entries; LLVM has the magic number as a constant."""
    (count,) = struct.unpack_from("<Q", data, at + 24)
    first = data[at + 56 : at + 61]
    return data[at] == MAGIC[0] and 0 < count < 256 and first == b"host-"


def size_of(data, at):
    """Of an ELF file that ends with its section headers."""
    (table,) = struct.unpack_from("<Q", data, at + 40)
    each, count = struct.unpack_from("<HH", data, at + 58)
    return table + each * count


def kpack(data):
    """{name, patterns}: how .kpack archives list a host file, and where they are."""
    for name, _, offset, size, _ in sections(data):
        if name == ".rocm_kpack_ref":
            told, _ = unpack(data, offset)
            return {"name": told["kernel_name"], "patterns": told["kpack_search_paths"]}
    return None


def unpack(data, at):
    """A value in MessagePack, and where it ends: short maps, arrays and strings."""
    kind, at = data[at], at + 1
    if kind >> 4 in (0x8, 0x9):
        values = []
        for _ in range((kind & 15) * (2 if kind >> 4 == 0x8 else 1)):
            value, at = unpack(data, at)
            values.append(value)
        pairs = dict(zip(values[::2], values[1::2]))
        return (pairs if kind >> 4 == 0x8 else values), at
    if kind >> 5 == 5:
        size = kind & 31
    elif kind == 0xD9:
        size, at = data[at], at + 1
    else:
        raise SystemExit(f"MessagePack of kind {kind:#x} is not expected")
    return data[at : at + size].decode(), at + size
