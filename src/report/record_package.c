/* record_package.c - what JSON says of packages, and of archives of kernels. */
#include "report/record.h"

void ra_record_package_name(struct ra_emit *emit, const struct ra_package *package)
{
    if (!package) {
        ra_emit_null(emit, "package");
        return;
    }
    ra_emit_open_flat(emit, "package", '{');
    ra_emit_string(emit, "name", package->name);
    ra_emit_known(emit, "version", package->version);
    ra_emit_close(emit, '}');
}

void ra_record_package(struct ra_emit *emit, const struct ra_package *package)
{
    ra_emit_string(emit, "name", package->name);
    ra_emit_known(emit, "version", package->version);
    ra_emit_string(emit, "kind", package->kind);
    ra_emit_known(emit, "path", package->path);
    ra_emit_bool(emit, "jit", package->jit);
    ra_emit_bool(emit, "placeholder", package->placeholder);
    ra_emit_string(emit, "editable", package->editable);
    ra_emit_number(emit, "device_files", package->device_files);
    ra_emit_number(emit, "code_objects", package->code_objects);
    ra_emit_string(emit, "note", package->note);
    ra_record_verdicts(emit, package->verdicts, package->verdict_count);
}

static void put_strings(struct ra_emit *emit, const char *key, const char *const *strings,
                        size_t count)
{
    ra_emit_open_flat(emit, key, '[');
    for (size_t i = 0; i < count; i++)
        ra_emit_string(emit, NULL, strings[i]);
    ra_emit_close(emit, ']');
}

static void put_archive(struct ra_emit *emit, const struct ra_kpack_archive *archive)
{
    ra_emit_open_flat(emit, NULL, '{');
    ra_emit_string(emit, "path", archive->path);
    ra_emit_known(emit, "target", archive->target);
    put_strings(emit, "arches", archive->arches, archive->arch_count);
    ra_emit_bool(emit, "complete", archive->complete);
    ra_emit_bool(emit, "has_binary", archive->has_binary);
    ra_emit_number(emit, "kernels", archive->kernels);
    ra_emit_number(emit, "binaries", archive->binary_count);
    ra_emit_close(emit, '}');
}

void ra_record_kpack(struct ra_emit *emit, const struct ra_kpack *kpack)
{
    if (!kpack) {
        ra_emit_null(emit, "kpack");
        return;
    }
    ra_emit_open(emit, "kpack", '{');
    ra_emit_known(emit, "name", kpack->name);
    put_strings(emit, "patterns", kpack->patterns, kpack->pattern_count);
    ra_emit_open(emit, "archives", '[');
    for (size_t i = 0; i < kpack->archive_count; i++)
        put_archive(emit, &kpack->archives[i]);
    ra_emit_close(emit, ']');
    ra_emit_bool(emit, "moved", kpack->moved);
    ra_emit_bool(emit, "disabled", kpack->disabled);
    ra_emit_close(emit, '}');
}
