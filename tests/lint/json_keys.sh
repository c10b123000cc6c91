#!/bin/sh
# What the program writes as JSON has the keys that its page tells of: all of them, no
# other, of these types and in this order.
#
# json_keys.sh BUILD-FOLDER
set -u
program=$1/rocaudit
inputs=$1/fx
machines=fixtures/kfd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

${MAKE:-make} --no-print-directory B="$1" inputs >/dev/null || exit 1
for name in $(env | grep -oE '^(HSA|HIP|ROCR|CUDA)_[A-Z0-9_]*='); do
    unset "${name%=}"
done

# A package with a library whose code is in archives, and one of those in its place.
site=$work/site
mkdir -p "$site/odd/lib" "$site/odd/.kpack" "$site/odd-1.0.dist-info"
cp "$inputs/odd-hipk.so" "$site/odd/lib/libodd.so"
cp "$inputs/good-archive.kpack" "$site/odd/.kpack/odd_lib_gfx90a.kpack"
printf 'Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n' >"$site/odd-1.0.dist-info/METADATA"
printf '%s,,\n' odd/lib/libodd.so odd/.kpack/odd_lib_gfx90a.kpack \
    odd-1.0.dist-info/METADATA odd-1.0.dist-info/RECORD >"$site/odd-1.0.dist-info/RECORD"

# An answer in both formats. Its exit status is another test's affair.
ask() { # name arguments...
    name=$1
    shift
    "$program" "$@" --format json >"$work/$name.json"
    "$program" "$@" --format jsonl >"$work/$name.jsonl"
} 2>/dev/null

ask ls ls --kernels "$inputs"
ask ls-plain ls "$inputs"
ask named --kernels --gpu gfx90a --gpu gfx1151 --cpu x86-64-v2 "$inputs" fixtures/code
ask site --gpu gfx90a --gpu gfx1100 "$site"
ask site-ls ls --kernels "$site"
ask undecided --runtime 6.0 --gpu gfx90a --gpu gfx942:xnack+ "$inputs" no-such-file
HSA_OVERRIDE_GFX_VERSION=10.3.0 ask override --sysfs "$machines/mi210-x2" "$inputs"
ROCR_VISIBLE_DEVICES=1 ask hidden --sysfs "$machines/apu-dgpu-mixed" "$inputs"
ask several --runtime 7.0 --sysfs "$machines/mi210-rx7900-mixed" "$inputs"
for machine in "$machines"/*/; do
    machine=$(basename "$machine")
    ask "gpu-$machine" gpu --sysfs "$machines/$machine"
done
ask gpu-none gpu --sysfs "$work"
ask gpu-named gpu --gpu gfx906 --gpu gfx1100
ask gpu-told gpu --gpu-from fixtures/tool-output/rocminfo-mi300x.txt
# Not all inputs: one expands to 4 GiB.
ask plan extract --dry-run "$inputs"/good-* "$inputs/bad-count.fb"
ask extract extract -o "$work/out" "$inputs"/good-* "$inputs/bad-count.fb"
ask refused extract -o "$work/no/folder" "$inputs/good-bundle.fb"
"$program" explain --format json >"$work/explain.json"
"$program" explain RA001 --format json >"$work/explain-rule.json"

python3 - man/rocaudit-json.5 "$work" <<'END'
import json
import os
import re
import sys

SCHEMAS = {
    "COMMON OBJECTS": ["common"],
    "AUDIT AND LISTING": ["rocaudit.audit/1", "rocaudit.check/1",
                          "rocaudit.ls/1"],
    "GPUS": ["rocaudit.gpu/1"],
    "EXTRACTION": ["rocaudit.extract/1"],
    "EXPLANATION": ["rocaudit.explain/1"],
}
LINES = {"device": "devices[]", "file": "files[]", "finding": "findings[]",
         "package": "packages[]", "diagnostic": "diagnostics[]"}
OPTIONAL = "kernels_detail"
TYPES = {bool: "boolean", int: "number", str: "string", list: "array", dict: "object",
         type(None): "null"}

page = {}   # (schema, path of an object): {key: its types}
seen = set()
told = set()


def complain(text):
    if text not in told:
        print(text)
    told.add(text)


def read_page(name):
    schemas, path = [], None
    for line in open(name, encoding="ascii"):
        word, _, rest = line.strip().partition(" ")
        key = re.fullmatch(r"Li (\S+) Pq (.*)", rest)
        if word == ".Sh":
            schemas, path = SCHEMAS.get(rest, []), None
        elif word == ".Ss":
            path = rest.removeprefix("Object ").replace("at the top", "")
        elif word == ".It" and key and path is not None:
            for schema in schemas:
                types = re.split(" or ", key[2])
                page.setdefault((schema, path), {})[key[1]] = types


def find(schema, path):
    return (schema, path) if (schema, path) in page else ("common", path)


def check_type(where, value, types):
    kind = TYPES[type(value)]
    if kind not in [word.split()[0] for word in types]:
        complain(f"{where} is {kind}, the page says {' or '.join(types)}")
    elements = set()
    if kind == "array":
        elements = {TYPES[type(element)] + "s" for element in value}
    for word in types:
        if word.startswith("array of ") and elements - {word.removeprefix("array of ")}:
            complain(f"{where} has {', '.join(sorted(elements))}, the page says {word}")


def check_keys(schema, path, keys):
    wanted = [key for key in page[find(schema, path)] if key != OPTIONAL or key in keys]
    if list(keys) != wanted:
        complain(f"{schema} {path or 'top'}: there is {list(keys)}, not {wanted}")


def check_value(schema, path, key, value):
    place = find(schema, path)
    inner = f"{path}.{key}" if path else key
    types = page[place].get(key)
    if not types:
        return
    seen.add((place, key))
    check_type(f"{schema} {inner}", value, types)
    if isinstance(value, dict):
        check_object(schema, inner, value)
    for element in value if isinstance(value, list) else []:
        if isinstance(element, dict):
            check_object(schema, inner + "[]", element)


def check_object(schema, path, value):
    if find(schema, path) not in page:
        complain(f"{schema}: the page has no object {path}")
        return
    check_keys(schema, path, value)
    for key in value:
        check_value(schema, path, key, value[key])


def split_totals(schema, value):
    """The last line: keys of the top, with those of totals among them."""
    names = page[find(schema, "")]
    ends = ["schema", "tool"] + ["runtime", "note"] * ("runtime" in names)
    totals = find("rocaudit.ls/1" if schema == "rocaudit.gpu/1" else schema, "totals")
    wanted = ["type"] + ends + list(page[totals]) + ["exit"]
    if list(value) != wanted:
        complain(f"{schema} line totals: there is {list(value)}, not {wanted}")
    for key in ends + ["exit"]:
        check_value(schema, "", key, value[key])
    for key in page[totals]:
        check_value(totals[0], "totals", key, value[key])


def check_lines(name, lines):
    if not lines or lines[-1].get("type") != "totals":
        complain(f"{name}: the last line is not that of totals")
        return
    schema = lines[-1]["schema"]
    for line in lines[:-1]:
        path = LINES.get(line.get("type"))
        if list(line)[0] != "type" or not path:
            complain(f"{name}: a line of no known type: {list(line)}")
            continue
        check_object(schema, path, {key: line[key] for key in line if key != "type"})
    split_totals(schema, lines[-1])


def no_double(pairs):
    keys = [key for key, _ in pairs]
    for key in set(keys):
        if keys.count(key) > 1:
            complain(f"twice in an object: {key}")
    return dict(pairs)


def parse(name, text):
    try:
        return json.loads(text, object_pairs_hook=no_double)
    except ValueError as error:
        complain(f"{name}: {error}")
        return None


def check_file(name, text):
    if name.endswith(".jsonl"):
        check_lines(name, [parse(name, line) or {} for line in text.splitlines()])
        return
    answer = parse(name, text)
    if answer:
        check_object(answer["schema"], "", answer)


def check_page():
    for section, schemas in SCHEMAS.items():
        for path, key in [(path, key) for schema, path in page if schema == schemas[0]
                          for key in page[schema, path]]:
            if not any(((schema, path), key) in seen for schema in schemas):
                complain(f"{section}, {path or 'top'}: {key} is in no answer")


read_page(sys.argv[1])
for name in sorted(os.listdir(sys.argv[2])):
    if name.endswith((".json", ".jsonl")):
        with open(os.path.join(sys.argv[2], name), encoding="utf-8") as file:
            check_file(name, file.read())
check_page()
sys.exit(bool(told))
END
