#!/usr/bin/env python3
"""kpack.py OUT SCHEME KEY=TARGET=FILE... - a .kpack archive, packed by python-msgpack and
zstd. SCHEME is none or zstd-per-kernel."""
import struct
import subprocess
import sys

import msgpack

FIRST = 64  # where code objects start


def frame(code):
    return subprocess.run(['zstd', '-q', '-3', '--no-check', '-c'], input=code,
                          capture_output=True, check=True).stdout


def main():
    out, scheme, *entries = sys.argv[1:]
    toc, arches, codes = {}, [], []
    for ordinal, (key, arch, name) in enumerate(entry.split('=') for entry in entries):
        with open(name, 'rb') as file:
            codes.append(file.read())
        toc.setdefault(key, {})[arch] = {'type': 'hsaco', 'ordinal': ordinal,
                                         'original_size': len(codes[-1])}
        if arch not in arches:
            arches.append(arch)
    table = {'format_version': 1, 'group_name': 'foo_lib', 'gfx_arch_family': arches[0],
             'gfx_arches': arches, 'compression_scheme': scheme, 'toc': toc}
    if scheme == 'none':
        body = b''.join(codes)
        offsets = [FIRST + sum(map(len, codes[:i])) for i in range(len(codes))]
        table['blobs'] = [{'offset': offset, 'size': len(code)}
                          for offset, code in zip(offsets, codes)]
    else:
        frames = [frame(code) for code in codes]
        body = struct.pack('<I', len(frames))
        body += b''.join(struct.pack('<I', len(one)) + one for one in frames)
        table.update(zstd_offset=FIRST, zstd_size=len(body))
    with open(out, 'wb') as file:
        file.write(struct.pack('<4sIQ', b'KPAK', 1, FIRST + len(body)).ljust(FIRST, b'\0'))
        file.write(body + msgpack.packb(table, use_bin_type=True))


if __name__ == '__main__':
    main()
