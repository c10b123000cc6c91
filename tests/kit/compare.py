#!/usr/bin/env python3
"""compare.py ROCAUDIT FILE... - hold `rocaudit ls --kernels` against llvm-readelf-22.

Code objects are cut out of the files here, with nothing but the standard library,
llvm-objcopy-22 and the zstd program; what LLVM reads in them is compared, entry by entry
and kernel by kernel, with what rocaudit lists. Prints `ok` and `not ok` lines.
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

MAGIC = b'__CLANG_OFFLOAD_BUNDLE__'
OFFLOAD = b'\x10\xff\x10\xad'
LANGUAGES = {1: 'openmp', 2: 'cuda', 4: 'hip', 8: 'sycl'}

# key of rocaudit: key of the metadata
NUMBERS = {
    'wave_size': '.wavefront_size',
    'vgprs': '.vgpr_count',
    'agprs': '.agpr_count',
    'sgprs': '.sgpr_count',
    'vgpr_spills': '.vgpr_spill_count',
    'sgpr_spills': '.sgpr_spill_count',
    'lds': '.group_segment_fixed_size',
    'scratch': '.private_segment_fixed_size',
    'kernarg': '.kernarg_segment_size',
    'max_workgroup': '.max_flat_workgroup_size',
}


def run(*command, data=None):
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


# ---- cutting -----------------------------------------------------------------------

def plain_bundle(data):
    """[(id, offset, bytes)] and the end of the bundle that data starts with."""
    count, = struct.unpack_from('<Q', data, 24)
    at, end, entries = 32, 0, []
    for _ in range(count):
        offset, size, length = struct.unpack_from('<QQQ', data, at)
        entry_id = data[at + 24:at + 24 + length].decode()
        at += 24 + length
        end = max(end, at, offset + size)
        entries.append((entry_id, offset, data[offset:offset + size]))
    return entries, end


def decoded(method, payload):
    if method == 0:
        return zlib.decompressobj().decompress(payload)
    return run('zstd', '-dcq', data=payload)


def compressed_bundle(data):
    version, method = struct.unpack_from('<HH', data, 4)
    if version == 1:
        start, total = 20, len(data)  # nothing follows a v1 bundle in these files
    elif version == 2:
        start, total = 24, struct.unpack_from('<I', data, 8)[0]
    else:
        start, total = 32, struct.unpack_from('<Q', data, 8)[0]
    entries, _ = plain_bundle(decoded(method, data[start:total]))
    return entries, total, version


def text_at(data, at):
    return data[at:data.index(b'\0', at)].decode()


def offload_blob(data):
    """[(language, triple, arch, offset, bytes)] and the size of the blob at the start."""
    version, size, at, count = struct.unpack_from('<IQQQ', data, 4)
    whole = struct.unpack_from('<Q', data, 32)[0] if version == 3 else 0
    blob = data[:size]
    if whole:
        method = blob[at:at + 4] == b'\x28\xb5\x2f\xfd'
        blob = blob[:at] + decoded(method, blob[at:])
    images = []
    for entry in range(at, at + 40 * (1 if version == 1 else count), 40):
        _, kind, flags, record, strings, offset, length = struct.unpack_from(
            '<HHIQQQQ', blob, entry)
        pairs = {}
        for _ in range(strings):
            key, value = struct.unpack_from('<QQ', blob, record)
            pairs[text_at(blob, key)] = text_at(blob, value)
            record += 16 if version == 1 else 24
        if version == 1 or not flags & 1:
            images.append((LANGUAGES[kind], pairs.get('triple', ''),
                           pairs.get('arch', ''), offset, blob[offset:offset + length]))
    return images, size


def offload_bundles(data):
    """All blobs, as a bundle for each language that has code of AMD."""
    at, found = 0, {}
    while at < len(data):
        images, size = offload_blob(data[at:])
        for language, triple, arch, offset, content in images:
            found.setdefault(language, []).append(
                (f'{language}-{triple}--{arch}', at + offset, content))
        at += (size + 7) // 8 * 8
    return [('offload-binary', entries) for entries in found.values()
            if any('-amdgcn-' in entry[0] for entry in entries)]


def bundles(data):
    """[(container, entries)] of a section or a bundle file."""
    at, found = 0, []
    while at < len(data):
        rest = data[at:]
        if rest.startswith(MAGIC):
            entries, size = plain_bundle(rest)
            found.append(('plain', entries))
        elif rest.startswith(b'CCOB'):
            entries, size, version = compressed_bundle(rest)
            found.append((f'ccob{version}', entries))
        elif rest[0] == 0:
            size = 1
        else:
            raise ValueError(f'neither bundle nor padding at {at}')
        at += size
    return found


def contents(path):
    """[(container, entries)] of any file: a host, a bundle, a code object."""
    with open(path, 'rb') as file:
        data = file.read()
    if data.startswith(OFFLOAD):
        return offload_bundles(data)
    section = '.hip_fat' if data.startswith(b'MZ') else '.hip_fatbin'
    if not data.startswith((b'\x7fELF', b'MZ')) and not path.endswith('.obj'):
        return bundles(data)
    if data.startswith(b'\x7fELF') and data[18:20] == b'\xe0\x00':
        return [('raw', [('', 0, data)])]
    with tempfile.TemporaryDirectory() as folder:
        cut = os.path.join(folder, 'fatbin')
        run('llvm-objcopy-22', '--dump-section', f'{section}={cut}', path,
            os.path.join(folder, 'rest'))
        with open(cut, 'rb') as file:
            return bundles(file.read())


# ---- what LLVM reads ----------------------------------------------------------------

def target_of(flags, version):
    """`0x63f, gfx90a, xnack-, sramecc` as a target ID."""
    processor, *features = [word.strip() for word in flags.split(',')[1:]]
    found = {}
    for feature in features:
        name = feature.rstrip('+-')
        # V3 has no "any": what it names is on
        found[name] = feature[len(name):] or ('+' if version == 3 else '')
    text = processor
    for name in ('sramecc', 'xnack'):
        if found.get(name):
            text += f':{name}{found[name]}'
    return text


def scalar(text):
    if text in ('true', 'false'):
        return text == 'true'
    return int(text) if re.fullmatch(r'\d+', text) else text.strip("'\"")


def kernels_of(notes):
    """The maps below amdhsa.kernels of every metadata note; .args are passed over."""
    kernels, listing = [], None
    for line in notes.splitlines():
        item = re.match(r'(  - |    )(\.[a-z_]+): *(.*)$', line)
        element = re.match(r' {6}- (\d+)$', line)
        if item:
            if item.group(1) == '  - ':
                kernels.append({})
            listing = scalar(item.group(3)) if item.group(3) else []
            kernels[-1][item.group(2)] = listing
        elif element and isinstance(listing, list):
            listing.append(int(element.group(1)))
    return kernels


def descriptor_bits(path):
    """{kernel: {directive: value}} of the descriptors, as the disassembler shows them."""
    text = run('llvm-objdump-22', '-D', '-j', '.rodata', path).decode()
    found, kernel = {}, None
    for line in text.splitlines():
        head = re.match(r'\.amdhsa_kernel (\S+)', line)
        value = re.match(r'\s+\.amdhsa_(\w+) (\d+)$', line)
        if head:
            kernel = found.setdefault(head.group(1), {})
        elif value and kernel is not None:
            kernel[value.group(1)] = int(value.group(2))
    return found


def first_instructions(path):
    text = run('llvm-objdump-22', '-d', path).decode()
    return dict(re.findall(r'<(\S+)>:\n\s+(\w+)', text))


def code_object(data):
    with tempfile.NamedTemporaryFile(suffix='.co') as file:
        file.write(data)
        file.flush()
        head = run('llvm-readelf-22', '-h', file.name).decode()
        notes = run('llvm-readelf-22', '--notes', file.name).decode()
        symbols = run('llvm-readelf-22', '--dyn-syms', file.name).decode()
        descriptors = descriptor_bits(file.name)
        first = first_instructions(file.name)
    version = int(re.search(r'ABI Version: *(\d+)', head).group(1)) + 2
    flags = re.search(r'Flags: *(.*)', head).group(1)
    sizes = {name: int(size) for size, name in
             re.findall(r'(\d+) FUNC +GLOBAL +PROTECTED +\d+ (\S+)', symbols)}
    return {'version': version, 'flags': flags, 'target': target_of(flags, version),
            'kernels': kernels_of(notes), 'sizes': sizes, 'descriptors': descriptors,
            'first': first}


# ---- comparing ----------------------------------------------------------------------

def wanted_kernel(code, metadata):
    name = metadata['.name']
    bits = code['descriptors'].get(name, {})
    wanted = {key: metadata.get(from_key, 0) for key, from_key in NUMBERS.items()}
    wanted['required_workgroup'] = metadata.get('.reqd_workgroup_size') or None
    wanted['code_size'] = code['sizes'].get(name, 0)
    wanted['dynamic_stack'] = bool(metadata.get('.uses_dynamic_stack',
                                                bits.get('uses_dynamic_stack', 0)))
    wanted['tg_split'] = bool(bits.get('tg_split', 0))
    wanted['wgp_mode'] = bool(bits.get('workgroup_processor_mode', 0))
    wanted['stub'] = code['first'].get(name) in ('s_endpgm', 's_trap')
    return wanted


def differences(wanted, seen):
    for key, value in wanted.items():
        got = seen.get(key)
        if key == 'required_workgroup' and got in (None, [], [0, 0, 0]):
            got = None
        if got != value:
            yield f'{key}: LLVM {value}, rocaudit {got}'


def compare_entry(entry_id, data, seen):
    if seen['id'] != entry_id:
        return [f"id: {entry_id!r}, rocaudit {seen['id']!r}"]
    if seen['size'] != len(data):
        return [f"size: {len(data)}, rocaudit {seen['size']}"]
    if data[:4] != b'\x7fELF':
        return []
    code = code_object(data)
    faults = []
    # the fixed xnack of gfx1250 may be written as ON and means nothing
    target = code['target'].replace('gfx1250:xnack+', 'gfx1250')
    if seen['elf_target'] not in (target, code['target']):
        faults.append(f"elf_target: {target}, rocaudit {seen['elf_target']}")
    if seen['code_object_version'] != code['version']:
        faults.append(f"version: {code['version']}, rocaudit {seen['code_object_version']}")
    if seen['kernels'] != len(code['kernels']):
        faults.append(f"kernels: {len(code['kernels'])}, rocaudit {seen['kernels']}")
    listed = {kernel['name']: kernel for kernel in seen.get('kernels_detail') or []}
    for metadata in code['kernels']:
        name = metadata['.name']
        if name not in listed:
            faults.append(f'{name}: not listed')
            continue
        faults += [f'{name}: {text}' for text in
                   differences(wanted_kernel(code, metadata), listed[name])]
    return faults


def compare(rocaudit, path):
    done = subprocess.run([rocaudit, 'ls', '--kernels', '--format', 'json', path],
                          capture_output=True, check=False)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return [f'no JSON: exit {done.returncode}, {done.stderr.decode()[:100]!r}']
    if len(report['files']) != 1:
        return [f"{len(report['files'])} files listed"]
    wanted = contents(path)
    seen = report['files'][0]['bundles']
    if [container for container, _ in wanted] != [item['container'] for item in seen]:
        return [f"bundles: {[container for container, _ in wanted]}, rocaudit "
                f"{[item['container'] for item in seen]}"]
    faults = []
    for (_, entries), bundle in zip(wanted, seen):
        device = [entry for entry in entries if not entry[0].startswith('host-')]
        listed = [entry for entry in bundle['entries']
                  if not entry['id'].startswith('host-')]
        if len(device) != len(listed):
            faults.append(f'entries: {len(device)}, rocaudit {len(listed)}')
            continue
        for (entry_id, _, data), entry in zip(device, listed):
            faults += [f'{entry_id}: {text}' for text in
                       compare_entry(entry_id, data, entry)]
    return faults


def main():
    failed = False
    for path in sys.argv[2:]:
        faults = compare(sys.argv[1], path)
        name = os.path.basename(path)
        print(f'not ok {name}: {"; ".join(faults[:4])}' if faults else f'ok {name}')
        failed |= bool(faults)
    return failed


if __name__ == '__main__':
    sys.exit(main())
