#include "report/record.h"

#include "base/text.h"
#include "report/report.h"

#include <stdio.h>

void ra_record_device(struct ra_emit *emit, const struct ra_device *device)
{
    ra_emit_number(emit, "index", device->index);
    ra_emit_string(emit, "target", device->target);
    ra_emit_string(emit, "source", device->source);
    ra_emit_known(emit, "product", device->product);
    ra_emit_known(emit, "arch", device->arch);
    ra_emit_bool(emit, "apu", device->is_apu);
    ra_emit_open_flat(emit, "assumed", '[');
    if (device->sramecc_assumed)
        ra_emit_string(emit, NULL, "sramecc");
    if (device->xnack_assumed)
        ra_emit_string(emit, NULL, "xnack");
    ra_emit_close(emit, ']');
    ra_emit_string(emit, "hardware",
                   device->override_text ? device->hardware_target : NULL);
    ra_emit_string(emit, "override", device->override_text);
    ra_emit_string(emit, "origin", ra_origin_name(device->origin));
    ra_emit_string(emit, "sramecc_origin", ra_origin_name(device->sramecc_origin));
    ra_emit_string(emit, "xnack_origin", ra_origin_name(device->xnack_origin));
    ra_emit_known(emit, "why", device->why);
    ra_emit_string(emit, "skipped", device->skipped);
    ra_emit_number(emit, "same_as", device->same_as);
    ra_emit_number(emit, "rocr_index", device->rocr_index);
}

/* What only the descriptor or the code tells is null where there was none. */
static void put_described(struct ra_emit *emit, const struct ra_kernel *kernel,
                          const char *key, bool value)
{
    if (kernel->has_descriptor)
        ra_emit_bool(emit, key, value);
    else
        ra_emit_null(emit, key);
}

static void put_required_workgroup(struct ra_emit *emit, const struct ra_kernel *kernel)
{
    const uint32_t *size = kernel->required_workgroup;

    if (!size[0] && !size[1] && !size[2]) {
        ra_emit_null(emit, "required_workgroup");
        return;
    }
    ra_emit_open_flat(emit, "required_workgroup", '[');
    for (size_t i = 0; i < 3; i++)
        ra_emit_number(emit, NULL, size[i]);
    ra_emit_close(emit, ']');
}

static void put_kernel(struct ra_emit *emit, const struct ra_bundle *bundle,
                       const struct ra_kernel *kernel)
{
    bool named = kernel->name < bundle->kernel_name_count;

    ra_emit_open_flat(emit, NULL, '{');
    ra_emit_string(emit, "name", named ? bundle->kernel_names[kernel->name] : NULL);
    ra_emit_number(emit, "wave_size", kernel->wave_size);
    ra_emit_number(emit, "vgprs", kernel->vgprs);
    ra_emit_number(emit, "agprs", kernel->agprs);
    ra_emit_number(emit, "sgprs", kernel->sgprs);
    ra_emit_number(emit, "vgpr_spills", kernel->vgpr_spills);
    ra_emit_number(emit, "sgpr_spills", kernel->sgpr_spills);
    ra_emit_number(emit, "lds", kernel->lds);
    ra_emit_number(emit, "scratch", kernel->scratch);
    ra_emit_number(emit, "kernarg", kernel->kernarg);
    ra_emit_number(emit, "max_workgroup", kernel->max_workgroup);
    put_required_workgroup(emit, kernel);
    if (kernel->code_size)
        ra_emit_number(emit, "code_size", kernel->code_size);
    else
        ra_emit_null(emit, "code_size");
    ra_emit_bool(emit, "dynamic_stack", kernel->dynamic_stack);
    put_described(emit, kernel, "tg_split", kernel->tg_split);
    put_described(emit, kernel, "wgp_mode", kernel->wgp_mode);
    put_described(emit, kernel, "stub", kernel->is_stub);
    ra_emit_bool(emit, "has_descriptor", kernel->has_descriptor);
    ra_emit_close(emit, '}');
}

static void put_features(struct ra_emit *emit, const struct ra_entry *entry)
{
    const char *processor = ra_entry_processor(entry);
    const char *const *features = *processor ? ra_processor_features(processor) : NULL;

    ra_emit_open_flat(emit, "target_features", '[');
    for (; features && *features; features++)
        ra_emit_string(emit, NULL, *features);
    ra_emit_close(emit, ']');
}

static void put_entry(struct ra_emit *emit, const struct ra_report *report,
                      const struct ra_bundle *bundle, const struct ra_entry *entry)
{
    bool is_code = entry->content == RA_CONTENT_CODE_OBJECT;
    bool is_host = entry->kind == RA_ENTRY_HOST;

    ra_emit_open_flat(emit, NULL, '{');
    ra_emit_known(emit, "id", entry->id);
    ra_emit_known(emit, "target", is_host ? NULL : entry->target);
    ra_emit_known(emit, "elf_target", entry->elf_target);
    if (is_code && entry->code.version)
        ra_emit_number(emit, "code_object_version", entry->code.version);
    else
        ra_emit_null(emit, "code_object_version");
    ra_emit_number(emit, "offset", entry->offset);
    ra_emit_number(emit, "size", entry->size);
    if (is_code || entry->content == RA_CONTENT_EMPTY)
        ra_emit_number(emit, "kernels", entry->kernel_count);
    else
        ra_emit_null(emit, "kernels");
    put_features(emit, entry);
    ra_emit_known(emit, "compiler", is_code ? entry->code.compiler : NULL);
    ra_emit_string(emit, "archive", entry->archive);
    ra_emit_known(emit, "archive_target", entry->archive ? entry->archive_target : NULL);
    if (report->has_kernels) {
        ra_emit_open(emit, "kernels_detail", '[');
        for (uint64_t i = 0; entry->kernels && i < entry->kernel_count; i++)
            put_kernel(emit, bundle, &entry->kernels[i]);
        ra_emit_close(emit, ']');
    }
    ra_emit_close(emit, '}');
}

static void put_bundle(struct ra_emit *emit, const struct ra_report *report,
                       const struct ra_bundle *bundle, size_t index)
{
    ra_emit_open(emit, NULL, '{');
    ra_emit_number(emit, "index", index);
    ra_emit_number(emit, "offset", bundle->offset);
    if (bundle->size)
        ra_emit_number(emit, "size", bundle->size);
    else
        ra_emit_null(emit, "size");
    ra_emit_string(emit, "container", bundle->container);
    ra_emit_string(emit, "key", bundle->key);
    ra_emit_open(emit, "entries", '[');
    for (size_t i = 0; i < bundle->entry_count; i++)
        put_entry(emit, report, bundle, &bundle->entries[i]);
    ra_emit_close(emit, ']');
    ra_emit_close(emit, '}');
}

static const char *block_name(enum ra_block block)
{
    static const char *const names[] = {
        [RA_BLOCK_NONE] = "none",    [RA_BLOCK_STOP] = "stop",
        [RA_BLOCK_MODE] = "mode",    [RA_BLOCK_MAY_ABORT] = "may-abort",
        [RA_BLOCK_ABORT] = "abort",  [RA_BLOCK_OVERRIDE] = "override",
        [RA_BLOCK_CPU] = "host-cpu", [RA_BLOCK_LOADER] = "loader",
    };

    return names[block];
}

static void put_verdict(struct ra_emit *emit, const struct ra_verdict *verdict)
{
    ra_emit_open_flat(emit, NULL, '{');
    ra_emit_number(emit, "device", verdict->device);
    ra_emit_string(emit, "verdict", ra_verdict_name(verdict->kind));
    ra_emit_string(emit, "severity", ra_severity_name(verdict->severity));
    ra_emit_number(emit, "covered", verdict->covered);
    ra_emit_number(emit, "total", verdict->total);
    ra_emit_number(emit, "kernels_missing", verdict->kernels_missing);
    ra_emit_string(emit, "on_purpose", verdict->on_purpose);
    ra_emit_string(emit, "assumption", verdict->assumption);
    ra_emit_string(emit, "doubt", verdict->doubt);
    if (verdict->block == RA_BLOCK_NONE)
        ra_emit_null(emit, "blocked_by");
    else
        ra_emit_number(emit, "blocked_by", verdict->blocked_by);
    ra_emit_string(emit, "block", block_name(verdict->block));
    ra_emit_string(emit, "excused", verdict->excused);
    ra_emit_close(emit, '}');
}

void ra_record_verdicts(struct ra_emit *emit, const struct ra_verdict *verdicts,
                        size_t count)
{
    ra_emit_open(emit, "verdicts", '[');
    for (size_t i = 0; i < count; i++)
        put_verdict(emit, &verdicts[i]);
    ra_emit_close(emit, ']');
}

/* The x86-64 level that the host code is marked to need. */
static void put_host_isa(struct ra_emit *emit, unsigned level)
{
    char text[24];

    if (level == 0) {
        ra_emit_null(emit, "host_isa");
        return;
    }
    snprintf(text, sizeof(text), "x86-64-v%u", level);
    ra_emit_string(emit, "host_isa", text);
}

static void put_path(struct ra_emit *emit, const struct ra_file *file)
{
    struct ra_span raw = { .data = (const uint8_t *)file->raw_path,
                           .size = file->raw_path ? strlen(file->raw_path) : 0 };

    ra_emit_string(emit, "path", file->path);
    if (ra_text_is_utf8(raw))
        ra_emit_null(emit, "path_base64");
    else
        ra_emit_base64(emit, "path_base64", raw);
    ra_emit_open_flat(emit, "paths", '[');
    for (size_t i = 0; i < file->path_count; i++)
        ra_emit_string(emit, NULL, file->paths[i]);
    ra_emit_close(emit, ']');
}

void ra_record_file(struct ra_emit *emit, const struct ra_report *report,
                    const struct ra_file *file)
{
    static const char *const status[] = {
        [RA_FILE_OK] = "ok",
        [RA_FILE_INCOMPLETE] = "incomplete",
        [RA_FILE_UNREADABLE] = "unreadable",
        [RA_FILE_CHANGED] = "changed",
    };

    put_path(emit, file);
    ra_emit_string(emit, "kind", ra_kind_name(file->kind));
    ra_emit_string(emit, "status", status[file->status]);
    ra_record_package_name(emit, file->package);
    ra_emit_open(emit, "bundles", '[');
    for (size_t i = 0; i < file->bundle_count; i++)
        put_bundle(emit, report, &file->bundles[i], i);
    ra_emit_close(emit, ']');
    ra_record_verdicts(emit, file->verdicts, file->verdict_count);
    put_host_isa(emit, file->host_isa);
    ra_emit_number(emit, "owners", file->owner_count);
    ra_emit_bool(emit, "member", file->is_member);
    ra_record_kpack(emit, file->kpack);
}

void ra_record_finding(struct ra_emit *emit, const struct ra_finding *finding)
{
    ra_emit_string(emit, "rule", finding->rule);
    ra_emit_string(emit, "name", finding->name);
    ra_emit_string(emit, "severity", ra_severity_name(finding->severity));
    ra_emit_string(emit, "consequence", finding->consequence);
    ra_emit_string(emit, "file", finding->file);
    ra_record_package_name(emit, finding->package);
    if (finding->device == RA_NO_DEVICE)
        ra_emit_null(emit, "device");
    else
        ra_emit_number(emit, "device", finding->device);
    ra_emit_string(emit, "message", finding->message);
    ra_emit_string(emit, "predicted_error", finding->predicted_error);
    ra_emit_string(emit, "advice", finding->advice);
}

void ra_record_diag(struct ra_emit *emit, const struct ra_file *file,
                    const struct ra_diag *diag)
{
    ra_emit_string(emit, "code", diag->code);
    ra_emit_string(emit, "name", diag->name);
    ra_emit_string(emit, "severity", ra_severity_name(diag->severity));
    ra_emit_string(emit, "file", file->path);
    ra_emit_number(emit, "offset", diag->offset);
    if (diag->inner == RA_NOT_EXPANDED)
        ra_emit_null(emit, "inner_offset");
    else
        ra_emit_number(emit, "inner_offset", diag->inner);
    ra_emit_string(emit, "detail", diag->detail);
}

void ra_record_totals(struct ra_emit *emit, const struct ra_totals *totals)
{
    ra_emit_number(emit, "files", totals->files);
    ra_emit_open_flat(emit, "by_kind", '{');
    for (unsigned kind = 0; kind < RA_KINDS; kind++)
        ra_emit_number(emit, ra_kind_name((enum ra_kind)kind), totals->by_kind[kind]);
    ra_emit_close(emit, '}');
    ra_emit_number(emit, "with_device_code", totals->with_device_code);
    ra_emit_number(emit, "bundles", totals->bundles);
    ra_emit_number(emit, "code_objects", totals->code_objects);
    ra_emit_number(emit, "kernels", totals->kernels);
    ra_emit_number(emit, "archives", totals->archives);
    ra_emit_number(emit, "incomplete", totals->incomplete);
    ra_emit_number(emit, "errors", totals->errors);
    ra_emit_number(emit, "warnings", totals->warnings);
    ra_emit_open(emit, "targets", '[');
    for (size_t i = 0; i < totals->target_count; i++) {
        const struct ra_target_bytes *target = &totals->targets[i];

        ra_emit_open_flat(emit, NULL, '{');
        ra_emit_string(emit, "target", target->target);
        ra_emit_number(emit, "bytes", target->bytes);
        ra_emit_number(emit, "code_objects", target->code_objects);
        ra_emit_close(emit, '}');
    }
    ra_emit_close(emit, ']');
}

void ra_record_schema(struct ra_emit *emit, const struct ra_report *report)
{
    char schema[32];

    snprintf(schema, sizeof(schema), "rocaudit.%s/1", report->verb);
    ra_emit_string(emit, "schema", schema);
    ra_emit_open_flat(emit, "tool", '{');
    ra_emit_string(emit, "name", "rocaudit");
    ra_emit_string(emit, "version", RA_VERSION);
    ra_emit_close(emit, '}');
}

void ra_record_runtime(struct ra_emit *emit, const struct ra_runtime *runtime)
{
    ra_emit_open_flat(emit, "runtime", '{');
    ra_emit_known(emit, "version", runtime->version);
    ra_emit_string(emit, "source", runtime->source);
    ra_emit_bool(emit, "assumed", runtime->assumed);
    ra_emit_string(emit, "compat", runtime->compat);
    ra_emit_string(emit, "compat_source", runtime->compat_source);
    ra_emit_close(emit, '}');
}
