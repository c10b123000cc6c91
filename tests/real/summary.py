"""What is known of the files of a wheel, as lines: all of it, or a summary that is small.

Shared by expect.py, which reads the bytes, and compare.py, which reads the answer of
rocaudit: it decodes nothing. Both bring a list of files, each

    {path, bundles: [{container, offset, size, entries: [entry]}], verdicts: [verdict],
     kpack: {name, patterns} or None}
    entry:   {id, target, elf_target, version, offset, size, kernels}
    verdict: {device, verdict, covered, total, missing}

Offsets of bundles are in the file, those of entries in the expanded bundle. `missing`
counts kernels that other entries of a bundle have and the one for the device has not.
"""

import collections
import hashlib

HEAD = """\
# total    files, bundles, code objects, kernels
# without  files without device code: ELF, with code for NVIDIA GPUs, of the runtime
# file     file or group, files, bundles, code objects, kernels, digest of all details
# set      file, bundles that have it, container, v(code object version):(kernels)=targets
# kpack    file, what .kpack archives list it by, where they are
# verdict  file, GPU, verdict, files, bundles covered, bundles, kernels missing
"""

# More files than that are summed up by folder.
FILES_APART = 64
FOLDERS = 3

# Kinds of ELF files without device code. Archives may have more, which nobody counts.
WITHOUT = "elf", "cuda-only", "runtime-internal"
UNKNOWN = "without\t-\n"


def tabbed(fields):
    return "\t".join(str(field) for field in fields) + "\n"


def details(files):
    """A line for each entry and each verdict."""
    for file in sorted(files, key=lambda file: file["path"]):
        for index, bundle in enumerate(file["bundles"]):
            where = [file["path"], index, bundle["container"], bundle["offset"],
                     bundle["size"]]
            for entry in bundle["entries"]:
                names = [entry[key] or "-" for key in ("id", "target", "elf_target")]
                what = entry["version"] or 0, entry["offset"], entry["size"]
                yield tabbed(["entry", *where, *names, *what, entry["kernels"]])
        for verdict in file["verdicts"]:
            yield tabbed(["verdict", file["path"], *verdict.values()])


def summary(files, others):
    """Some lines for each file or group of files; a digest stands for what they omit.

    `others` counts files without device code, by kind.
    """
    groups = collections.defaultdict(list)
    for file in files:
        groups[group_of(file["path"], len(files))].append(file)
    yield HEAD
    yield tabbed(["total", len(files), *sums(files)])
    counted = tabbed(["without", *(others.get(kind, 0) for kind in WITHOUT)])
    yield UNKNOWN if others.get("archive") else counted
    for name, group in sorted(groups.items()):
        digest = hashlib.sha256("".join(details(group)).encode()).hexdigest()[:16]
        yield tabbed(["file", name, len(group), *sums(group), digest])
        yield from (tabbed(["set", name, *row]) for row in target_sets(group))
        yield from (tabbed(["kpack", name, *row]) for row in kpacks(group))
        yield from (tabbed(["verdict", name, *row]) for row in verdicts(group))


def group_of(path, count):
    parts = path.split("/")
    if count <= FILES_APART:
        return path
    return "/".join([*parts[:-1][:FOLDERS], "*." + parts[-1].split(".")[-1]])


def is_code(entry):
    return entry["size"] > 0 and not (entry["id"] or "").startswith("host")


def sums(files):
    """How many bundles, code objects and kernels."""
    bundles = [bundle for file in files for bundle in file["bundles"]]
    entries = [entry for bundle in bundles for entry in bundle["entries"]
               if is_code(entry)]
    return len(bundles), len(entries), sum(entry["kernels"] for entry in entries)


def target_sets(files):
    """(bundles that have it, container, set): the most frequent set first."""
    found = collections.Counter(
        (bundle["container"], target_set(bundle))
        for file in files
        for bundle in file["bundles"]
    )
    rows = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [(count, *key) for key, count in rows]


def target_set(bundle):
    """v6:151=gfx1030,gfx90a: code object version, kernels, targets that have as many."""
    found = collections.defaultdict(list)
    for entry in bundle["entries"]:
        if is_code(entry):
            found[entry["version"] or 0, entry["kernels"]].append(name_of(entry))
    return " ".join(f"v{version}:{kernels}={','.join(sorted(names))}"
                    for (version, kernels), names in sorted(found.items()))


def name_of(entry):
    """The target, or both that the ID and the e_flags name."""
    label, flags = entry["target"], entry["elf_target"]
    return flags if label in (None, flags) else f"{label}!{flags}"


def kpacks(files):
    return [(file["kpack"]["name"], *file["kpack"]["patterns"]) for file in files
            if file["kpack"]]


def verdicts(files):
    """(device, verdict, files that have it, covered and all bundles, kernels missing)."""
    found = collections.defaultdict(lambda: [0, 0, 0, 0])
    order = []
    for file in files:
        for said in file["verdicts"]:
            key = said["device"], said["verdict"]
            if said["device"] not in order:
                order.append(said["device"])
            numbers = 1, said["covered"], said["total"], said["missing"]
            found[key] = [a + b for a, b in zip(found[key], numbers)]
    keys = sorted(found, key=lambda key: (order.index(key[0]), key[1]))
    return [(*key, *found[key]) for key in keys]
