#include "gfx/metadata.h"

#include "cuts.h"
#include "gen/code.h"
#include "gen/pack.h"
#include "oracle.h"

#include <stdio.h>
#include <time.h>

/* Kernels as a sink was given them. */
struct list {
    struct ra_metadata_kernel kernels[16];
    size_t count, stop; /* how many it takes; 0: all */
};

static bool take(void *arg, const struct ra_metadata_kernel *kernel)
{
    struct list *list = arg;

    if (list->count < RA_COUNT(list->kernels))
        list->kernels[list->count] = *kernel;
    list->count++;
    return list->count != list->stop;
}

/* Reads with a sink and without; both must come to the same end. */
static enum ra_status read_both(const struct fx *fx, struct list *list,
                                struct ra_metadata *ret)
{
    struct ra_metadata counted;
    size_t bad, counted_bad;
    enum ra_status status = ra_metadata_read(fx_span(fx), take, list, ret, &bad);

    cr_assert_eq(ra_metadata_read(fx_span(fx), NULL, NULL, &counted, &counted_bad),
                 status);
    cr_assert_eq(counted_bad, bad);
    cr_assert_leq(bad, fx->size);
    if (status == RA_OK) {
        cr_assert_eq(counted.kernel_count, list->count);
        cr_assert_eq(ret->kernel_count, list->count);
    }
    return status;
}

static enum ra_status status_of(const struct fx *fx)
{
    struct list list = { 0 };
    struct ra_metadata metadata;

    return read_both(fx, &list, &metadata);
}

static void assert_text(struct ra_span span, const char *text)
{
    cr_assert(span.size == strlen(text) &&
                  (span.size == 0 || memcmp(span.data, text, span.size) == 0),
              "%.*s is not %s", (int)span.size, (const char *)span.data, text);
}

/* ---- what compilers write -----------------------------------------------------------
 */

static const struct fx_kernel kernels[] = {
    { .name = "k_add", .vgprs = 3, .sgprs = 10, .kernarg = 20 },
    {
        .name = "_Z4gemmIfEvPT_",
        .vgprs = 256,
        .agprs = 128,
        .sgprs = 102,
        .vgpr_spills = 70000,
        .sgpr_spills = 300,
        .lds = 65536,
        .scratch = 4000000000,
        .kernarg = 4096,
        .max_workgroup = 256,
        .required_workgroup = { 64, 4, 1 },
        .dynamic_stack = true,
    },
    { .name = "k", .wave_size = 64, .cu_mode = true, .vgprs = 127, .sgprs = 128 },
};

static const struct {
    const char *target;
    unsigned minor; /* of amdhsa.version, by code object version */
    unsigned version;
    bool agprs, wgp_mode;
    unsigned wave_size;
} builds[] = {
    { "gfx900", 0, 3, false, false, 64 },
    { "gfx90a:xnack-", 1, 4, true, false, 64 },
    { "gfx1030", 1, 4, false, false, 32 },
    { "gfx90a:sramecc+:xnack-", 2, 5, true, false, 64 },
    { "gfx1030", 2, 5, false, true, 32 },
    { "gfx942", 2, 6, true, false, 64 },
    { "gfx1151", 2, 6, false, true, 32 },
    { "gfx1201", 2, 6, false, true, 32 },
    { "gfx1250", 2, 6, false, false, 32 },
    { "gfx11-generic", 2, 6, false, true, 32 },
};

static void build(struct fx *fx, size_t i)
{
    fx_metadata(fx, &(struct fx_code){ .version = builds[i].version,
                                       .target = builds[i].target,
                                       .kernels = kernels,
                                       .kernel_count = RA_COUNT(kernels) });
}

static void assert_kernel(const struct ra_metadata_kernel *read,
                          const struct fx_kernel *asked, size_t i)
{
    const struct ra_kernel *kernel = &read->kernel;
    char symbol[40];

    snprintf(symbol, sizeof(symbol), "%s.kd", asked->name);
    assert_text(read->name, asked->name);
    assert_text(read->symbol, symbol);
    cr_assert_eq(kernel->vgprs, asked->vgprs);
    cr_assert_eq(kernel->agprs, builds[i].agprs ? asked->agprs : 0);
    cr_assert_eq(kernel->sgprs, asked->sgprs);
    cr_assert_eq(kernel->vgpr_spills, asked->vgpr_spills);
    cr_assert_eq(kernel->sgpr_spills, asked->sgpr_spills);
    cr_assert_eq(kernel->lds, asked->lds);
    cr_assert_eq(kernel->scratch, asked->scratch);
    cr_assert_eq(kernel->kernarg, asked->kernarg);
    cr_assert_eq(kernel->max_workgroup,
                 asked->max_workgroup ? asked->max_workgroup : 1024);
    for (unsigned j = 0; j < 3; j++)
        cr_assert_eq(kernel->required_workgroup[j], asked->required_workgroup[j]);
    cr_assert_eq(kernel->wave_size,
                 asked->wave_size ? asked->wave_size : builds[i].wave_size);
    cr_assert_eq(kernel->dynamic_stack, builds[i].version >= 5 && asked->dynamic_stack);
    cr_assert_eq(read->has_wgp_mode, builds[i].wgp_mode);
    cr_assert_eq(kernel->wgp_mode, builds[i].wgp_mode && !asked->cu_mode);
}

Test(metadata, every_field_is_what_was_built)
{
    for (size_t i = 0; i < RA_COUNT(builds); i++) {
        struct fx fx = { 0 };
        struct list list = { 0 };
        struct ra_metadata metadata;
        char triple[80];

        build(&fx, i);
        cr_assert_eq(read_both(&fx, &list, &metadata), RA_OK, "%zu", i);
        cr_assert_eq(list.count, RA_COUNT(kernels));
        snprintf(triple, sizeof(triple), "amdgcn-amd-amdhsa--%s", builds[i].target);
        assert_text(metadata.target, builds[i].version >= 4 ? triple : "");
        cr_assert(metadata.has_version);
        cr_assert_eq(metadata.major, 1);
        cr_assert_eq(metadata.minor, builds[i].minor);
        for (size_t j = 0; j < list.count; j++)
            assert_kernel(&list.kernels[j], &kernels[j], i);
        fx_free(&fx);
    }
}

Test(metadata, msgpack_c_reads_the_same)
{
    for (size_t i = 0; i < RA_COUNT(builds); i++) {
        struct fx fx = { 0 };
        struct oracle oracle = { 0 };

        build(&fx, i);
        cr_assert(oracle_agrees(&oracle, fx_span(&fx)), "%zu: %s", i, oracle.why);
        cr_assert_eq(oracle.kernels, RA_COUNT(kernels));
        fx_free(&fx);
    }
}

Test(metadata, a_map_without_kernels_in_it_is_read)
{
    struct fx fx = { 0 };
    struct list list = { 0 };
    struct ra_metadata metadata;

    fx_metadata(&fx, &(struct fx_code){ .target = "gfx1030", .no_kernels = true });
    cr_assert_eq(read_both(&fx, &list, &metadata), RA_OK);
    cr_assert_eq(list.count, 0);
    fx_free(&fx);
}

/* ---- damage --------------------------------------------------------------------------
 */

Test(metadata, fails_cleanly_at_every_truncation)
{
    struct fx fx = { 0 };

    build(&fx, 6);
    for (size_t size = 0; size < fx.size; size = cut_next(size)) {
        struct fx cut = cut_of(&fx, size);

        cr_assert_eq(status_of(&cut), RA_E_FORMAT, "%zu", size);
        fx_free(&cut);
    }
    fx_free(&fx);
}

Test(metadata, bytes_behind_the_map_are_damage)
{
    struct fx fx = { 0 };

    build(&fx, 6);
    fx_u8(&fx, 0);
    cr_assert_eq(status_of(&fx), RA_E_FORMAT);
    fx_free(&fx);
}

/* Whatever a byte becomes: what is accepted is what msgpack-c sees. */
Test(metadata, no_changed_byte_is_read_in_another_way_than_msgpack_c_does)
{
    struct fx_kernel kernel = kernels[1];
    struct fx fx = { 0 };
    struct oracle oracle = { 0 };
    size_t accepted = 0;

    kernel.kernarg = 12; /* two arguments: more of them are more of the same */
    fx_metadata(&fx, &(struct fx_code){
                         .target = "gfx1030", .kernels = &kernel, .kernel_count = 1 });
    for (size_t i = 0; i < fx.size; i++) {
        uint8_t was = fx.data[i];

        for (unsigned value = 0; value < 256; value++) {
            fx.data[i] = (uint8_t)value;
            if (status_of(&fx) != RA_OK)
                continue;
            accepted++;
            cr_assert(oracle_agrees(&oracle, fx_span(&fx)), "byte %zu is %#x: %s", i,
                      value, oracle.why);
        }
        fx.data[i] = was;
    }
    cr_assert_gt(accepted, fx.size, "each byte as it was, at least");
    fx_free(&fx);
}

/* ---- hand-made maps ------------------------------------------------------------------
 */

/* A map of `extra` pairs, which the caller puts, and then one kernel. */
static void put_head(struct fx *fx, size_t extra)
{
    fx->big = true;
    fx_pack_map(fx, 1 + extra);
}

static void put_tail(struct fx *fx)
{
    fx_pack_text(fx, "amdhsa.kernels");
    fx_pack_array(fx, 1);
    fx_pack_map(fx, 3);
    fx_pack_text_of(fx, ".name", "k");
    fx_pack_text_of(fx, ".symbol", "k.kd");
    fx_pack_uint_of(fx, ".wavefront_size", 64);
}

/* The same with `extra` more pairs in the kernel, put by the caller. */
static void put_open_kernel(struct fx *fx, size_t extra)
{
    fx->big = true;
    fx_pack_map(fx, 1);
    fx_pack_text(fx, "amdhsa.kernels");
    fx_pack_array(fx, 1);
    fx_pack_map(fx, 3 + extra);
    fx_pack_text_of(fx, ".name", "k");
    fx_pack_text_of(fx, ".symbol", "k.kd");
    fx_pack_uint_of(fx, ".wavefront_size", 64);
}

/* One of each format of the MessagePack specification, whole. */
static const struct {
    const char *name, *bytes;
    size_t size;
} values[] = {
    { "fixint", "\x7f", 1 },
    { "fixmap", "\x81\xa1k\x01", 4 },
    { "fixmap of a number", "\x81\x01\x02", 3 },
    { "fixarray", "\x92\x01\x02", 3 },
    { "fixstr", "\xa2hi", 3 },
    { "nil", "\xc0", 1 },
    { "false", "\xc2", 1 },
    { "true", "\xc3", 1 },
    { "bin8", "\xc4\x02xx", 4 },
    { "bin16", "\xc5\0\x02xx", 5 },
    { "bin32", "\xc6\0\0\0\x02xx", 7 },
    { "ext8", "\xc7\x02txx", 5 },
    { "ext16", "\xc8\0\x02txx", 6 },
    { "ext32", "\xc9\0\0\0\x02txx", 8 },
    { "float32",
      "\xca"
      "1234",
      5 },
    { "float64",
      "\xcb"
      "12345678",
      9 },
    { "uint8", "\xcc\x01", 2 },
    { "uint16", "\xcd\0\x01", 3 },
    { "uint32", "\xce\0\0\0\x01", 5 },
    { "uint64", "\xcf\0\0\0\0\0\0\0\x01", 9 },
    { "int8", "\xd0\xff", 2 },
    { "int16", "\xd1\xff\xff", 3 },
    { "int32", "\xd2\xff\xff\xff\xff", 5 },
    { "int64", "\xd3\xff\xff\xff\xff\xff\xff\xff\xff", 9 },
    { "fixext1", "\xd4t1", 3 },
    { "fixext2", "\xd5t12", 4 },
    { "fixext4", "\xd6t1234", 6 },
    { "fixext8", "\xd7t12345678", 10 },
    { "fixext16", "\xd8t1234567812345678", 18 },
    { "str8", "\xd9\x02hi", 4 },
    { "str16", "\xda\0\x02hi", 5 },
    { "str32", "\xdb\0\0\0\x02hi", 7 },
    { "array16", "\xdc\0\x02\x01\x02", 5 },
    { "array32", "\xdd\0\0\0\x02\x01\x02", 7 },
    { "map16", "\xde\0\x01\xa1k\x01", 6 },
    { "map32", "\xdf\0\0\0\x01\xa1k\x01", 8 },
    { "negative fixint", "\xff", 1 },
};

/* Under a key nobody asks for, at the top and in a kernel, every format is walked over.
 */
Test(metadata, values_of_unknown_keys_are_walked_over)
{
    for (size_t i = 0; i < RA_COUNT(values); i++) {
        struct fx fx = { 0 };
        struct oracle oracle = { 0 };

        put_head(&fx, 2);
        fx_pack_text(&fx, "unknown");
        fx_bytes(&fx, values[i].bytes, values[i].size);
        fx_pack_text_of(&fx, "another", "one");
        put_tail(&fx);
        cr_assert(oracle_agrees(&oracle, fx_span(&fx)), "%s: %s", values[i].name,
                  oracle.why);
        cr_assert_eq(oracle.kernels, 1);
        fx_free(&fx);
        put_open_kernel(&fx, 2);
        fx_pack_text(&fx, ".unknown");
        fx_bytes(&fx, values[i].bytes, values[i].size);
        fx_pack_uint_of(&fx, ".vgpr_count", 77);
        cr_assert(oracle_agrees(&oracle, fx_span(&fx)), "%s: %s", values[i].name,
                  oracle.why);
        fx_free(&fx);
    }
}

Test(metadata, a_value_that_is_cut_is_damage_in_every_format)
{
    for (size_t i = 0; i < RA_COUNT(values); i++)
        for (size_t size = 0; size < values[i].size; size++) {
            struct fx fx = { 0 };

            fx_pack_map(&fx, 1);
            fx_pack_text(&fx, "unknown");
            fx_bytes(&fx, values[i].bytes, size);
            cr_assert_eq(status_of(&fx), RA_E_FORMAT, "%s, %zu", values[i].name, size);
            fx_free(&fx);
        }
}

Test(metadata, the_format_that_nobody_writes_is_damage)
{
    struct fx fx = { 0 };

    put_head(&fx, 1);
    fx_pack_text(&fx, "unknown");
    fx_u8(&fx, 0xc1);
    put_tail(&fx);
    cr_assert_eq(status_of(&fx), RA_E_FORMAT);
    fx_free(&fx);
}

Test(metadata, what_is_no_map_is_damage)
{
    for (size_t i = 0; i < RA_COUNT(values); i++) {
        struct fx fx = { 0 };

        fx_bytes(&fx, values[i].bytes, values[i].size);
        cr_assert_eq(status_of(&fx), RA_E_FORMAT, "%s", values[i].name);
        fx_free(&fx);
    }
}

Test(metadata, keys_that_are_no_strings_are_damage)
{
    for (size_t i = 0; i < RA_COUNT(values); i++) {
        bool is_string = strstr(values[i].name, "str") != NULL;
        struct fx fx = { 0 };

        put_head(&fx, 1);
        fx_bytes(&fx, values[i].bytes, values[i].size);
        fx_pack_uint(&fx, 1);
        put_tail(&fx);
        cr_assert_eq(status_of(&fx), is_string ? RA_OK : RA_E_FORMAT, "%s",
                     values[i].name);
        fx_free(&fx);
        put_open_kernel(&fx, 1);
        fx_bytes(&fx, values[i].bytes, values[i].size);
        fx_pack_uint(&fx, 1);
        cr_assert_eq(status_of(&fx), is_string ? RA_OK : RA_E_FORMAT, "%s",
                     values[i].name);
        fx_free(&fx);
    }
}

Test(metadata, kernels_that_are_no_maps_are_damage)
{
    for (size_t i = 0; i < RA_COUNT(values); i++) {
        struct fx fx = { 0 };

        fx_pack_map(&fx, 1);
        fx_pack_text(&fx, "amdhsa.kernels");
        fx_pack_array(&fx, 1);
        fx_bytes(&fx, values[i].bytes, values[i].size);
        cr_assert_eq(status_of(&fx), RA_E_FORMAT, "%s", values[i].name);
        fx_free(&fx);
    }
}

Test(metadata, kernels_that_are_no_array_are_damage)
{
    for (size_t i = 0; i < RA_COUNT(values); i++) {
        struct fx fx = { 0 };

        fx_pack_map(&fx, 1);
        fx_pack_text(&fx, "amdhsa.kernels");
        fx_bytes(&fx, values[i].bytes, values[i].size);
        cr_assert_eq(status_of(&fx), RA_E_FORMAT, "%s", values[i].name);
        fx_free(&fx);
    }
}

/* Name, symbol and wave size are what everything else hangs on. */
Test(metadata, a_kernel_without_name_symbol_or_wave_size_is_damage)
{
    for (unsigned without = 0; without < 4; without++) {
        struct fx fx = { 0 };

        fx_pack_map(&fx, 1);
        fx_pack_text(&fx, "amdhsa.kernels");
        fx_pack_array(&fx, 1);
        fx_pack_map(&fx, without == 3 ? 3 : 2);
        if (without != 0)
            fx_pack_text_of(&fx, ".name", "k");
        if (without != 1)
            fx_pack_text_of(&fx, ".symbol", "k.kd");
        if (without != 2)
            fx_pack_uint_of(&fx, ".wavefront_size", 64);
        cr_assert_eq(status_of(&fx), without == 3 ? RA_OK : RA_E_FORMAT, "%u", without);
        fx_free(&fx);
    }
}

Test(metadata, a_kernel_with_an_empty_name_is_damage)
{
    struct fx fx = { 0 };

    put_open_kernel(&fx, 1);
    fx_pack_text_of(&fx, ".name", "");
    cr_assert_eq(status_of(&fx), RA_E_FORMAT);
    fx_free(&fx);
}

Test(metadata, a_wave_has_32_or_64_work_items)
{
    static const uint64_t sizes[] = { 0, 1, 31, 32, 33, 63, 64, 65, 96, 288, UINT64_MAX };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        bool good = sizes[i] == 32 || sizes[i] == 64;
        struct fx fx = { 0 };

        put_open_kernel(&fx, 1);
        fx_pack_uint_of(&fx, ".wavefront_size", sizes[i]);
        cr_assert_eq(status_of(&fx), good ? RA_OK : RA_E_FORMAT);
        fx_free(&fx);
    }
}

static const char *const numbers[] = {
    ".agpr_count",
    ".group_segment_fixed_size",
    ".kernarg_segment_size",
    ".max_flat_workgroup_size",
    ".private_segment_fixed_size",
    ".sgpr_count",
    ".sgpr_spill_count",
    ".vgpr_count",
    ".vgpr_spill_count",
};

Test(metadata, numbers_over_32_bits_are_damage)
{
    for (size_t i = 0; i < RA_COUNT(numbers); i++) {
        static const uint64_t over[] = { 1ull << 32, 1ull << 63, UINT64_MAX };

        for (size_t j = 0; j < RA_COUNT(over); j++) {
            struct fx fx = { 0 };

            put_open_kernel(&fx, 1);
            fx_pack_uint_of(&fx, numbers[i], over[j]);
            cr_assert_eq(status_of(&fx), RA_E_FORMAT, "%s", numbers[i]);
            fx_free(&fx);
        }
    }
}

Test(metadata, numbers_are_read_in_any_width)
{
    for (size_t i = 0; i < RA_COUNT(numbers); i++)
        for (size_t j = 0; j < RA_COUNT(values); j++) {
            bool is_number = strstr(values[j].name, "uint") ||
                             strcmp(values[j].name, "fixint") == 0 ||
                             strcmp(values[j].name, "false") == 0 ||
                             strcmp(values[j].name, "true") == 0;
            struct fx fx = { 0 };
            struct oracle oracle = { 0 };

            put_open_kernel(&fx, 1);
            fx_pack_text(&fx, numbers[i]);
            fx_bytes(&fx, values[j].bytes, values[j].size);
            cr_assert_eq(status_of(&fx), is_number ? RA_OK : RA_E_FORMAT, "%s: %s",
                         numbers[i], values[j].name);
            if (is_number)
                cr_assert(oracle_agrees(&oracle, fx_span(&fx)), "%s", oracle.why);
            fx_free(&fx);
        }
}

Test(metadata, a_required_size_has_three_parts)
{
    for (size_t count = 0; count < 6; count++) {
        struct fx fx = { 0 };

        put_open_kernel(&fx, 1);
        fx_pack_text(&fx, ".reqd_workgroup_size");
        fx_pack_array(&fx, count);
        for (size_t i = 0; i < count; i++)
            fx_pack_uint(&fx, 8);
        cr_assert_eq(status_of(&fx), count == 3 ? RA_OK : RA_E_FORMAT, "%zu", count);
        fx_free(&fx);
    }
}

Test(metadata, a_version_has_two_parts)
{
    for (size_t count = 0; count < 4; count++) {
        struct fx fx = { 0 };

        put_head(&fx, 1);
        fx_pack_text(&fx, "amdhsa.version");
        fx_pack_array(&fx, count);
        for (size_t i = 0; i < count; i++)
            fx_pack_uint(&fx, 1);
        put_tail(&fx);
        cr_assert_eq(status_of(&fx), count == 2 ? RA_OK : RA_E_FORMAT, "%zu", count);
        fx_free(&fx);
    }
}

Test(metadata, of_a_key_that_stands_twice_the_second_counts)
{
    struct fx fx = { 0 };
    struct list list = { 0 };
    struct oracle oracle = { 0 };
    struct ra_metadata metadata;

    put_open_kernel(&fx, 4);
    fx_pack_uint_of(&fx, ".vgpr_count", 1);
    fx_pack_text_of(&fx, ".name", "other");
    fx_pack_uint_of(&fx, ".vgpr_count", 2);
    fx_pack_uint_of(&fx, ".wavefront_size", 32);
    cr_assert_eq(read_both(&fx, &list, &metadata), RA_OK);
    assert_text(list.kernels[0].name, "other");
    cr_assert(oracle_agrees(&oracle, fx_span(&fx)), "%s", oracle.why);
    fx_free(&fx);
}

/* Whoever asks which kernels there are gets those of both. */
Test(metadata, two_lists_of_kernels_are_both_counted)
{
    struct fx fx = { 0 };
    struct list list = { 0 };
    struct ra_metadata metadata;

    fx_pack_map(&fx, 2);
    put_tail(&fx);
    put_tail(&fx);
    cr_assert_eq(read_both(&fx, &list, &metadata), RA_OK);
    cr_assert_eq(metadata.kernel_count, 2);
    fx_free(&fx);
}

Test(metadata, a_map_that_does_not_speak_of_kernels_is_damage)
{
    struct fx fx = { 0 };

    fx_pack_map(&fx, 1);
    fx_pack_text_of(&fx, "amdhsa.target", "amdgcn-amd-amdhsa--gfx90a");
    cr_assert_eq(status_of(&fx), RA_E_FORMAT);
    fx_free(&fx);
}

Test(metadata, a_sink_that_refuses_ends_it)
{
    for (size_t stop = 1; stop <= RA_COUNT(kernels); stop++) {
        struct fx fx = { 0 };
        struct list list = { .stop = stop };
        struct ra_metadata metadata;
        size_t bad;

        build(&fx, 0);
        cr_assert_eq(ra_metadata_read(fx_span(&fx), take, &list, &metadata, &bad),
                     RA_E_NOMEM);
        cr_assert_eq(list.count, stop);
        fx_free(&fx);
    }
}

/* ---- claims without bytes behind them
 * ---------------------------------------------------- */

static const struct {
    const char *name, *bytes;
    size_t size;
} claims[] = {
    { "array32", "\xdd\xff\xff\xff\xff", 5 }, { "map32", "\xdf\xff\xff\xff\xff", 5 },
    { "str32", "\xdb\xff\xff\xff\xff", 5 },   { "bin32", "\xc6\xff\xff\xff\xff", 5 },
    { "ext32", "\xc9\xff\xff\xff\xff", 5 },   { "array16", "\xdc\xff\xff", 3 },
    { "map16", "\xde\xff\xff", 3 },           { "str16", "\xda\xff\xff", 3 },
    { "map32 of half", "\xdf\x80\0\0\0", 5 },
};

static void assert_refused_at_once(const struct fx *fx, const char *what)
{
    struct timespec before, after;
    double seconds;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    cr_assert_eq(status_of(fx), RA_E_FORMAT, "%s", what);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    seconds = (double)(after.tv_sec - before.tv_sec) +
              (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    cr_assert_lt(seconds, 1.0, "%s took %g s", what, seconds);
}

/* In every place where a value can stand. */
Test(metadata, counts_without_bytes_behind_them_are_refused_at_once)
{
    static const char *const keys[] = { "amdhsa.kernels", "amdhsa.target",
                                        "amdhsa.version", "unknown" };
    static const char *const in_kernel[] = {
        ".args", ".name", ".symbol", ".sgpr_count", ".reqd_workgroup_size", ".unknown"
    };

    for (size_t i = 0; i < RA_COUNT(claims); i++) {
        struct fx fx = { 0 };

        fx_bytes(&fx, claims[i].bytes, claims[i].size);
        fx_pad(&fx, 1000);
        assert_refused_at_once(&fx, claims[i].name);
        fx_free(&fx);
        for (size_t j = 0; j < RA_COUNT(keys); j++) {
            fx_pack_map(&fx, 1);
            fx_pack_text(&fx, keys[j]);
            fx_bytes(&fx, claims[i].bytes, claims[i].size);
            fx_pad(&fx, 1000);
            assert_refused_at_once(&fx, keys[j]);
            fx_free(&fx);
        }
        for (size_t j = 0; j < RA_COUNT(in_kernel); j++) {
            put_open_kernel(&fx, 1);
            fx_pack_text(&fx, in_kernel[j]);
            fx_bytes(&fx, claims[i].bytes, claims[i].size);
            fx_pad(&fx, 1000);
            assert_refused_at_once(&fx, in_kernel[j]);
            fx_free(&fx);
        }
    }
}

/* Sums of such claims must not come to anything small. */
Test(metadata, many_large_counts_do_not_add_up_to_a_small_one)
{
    struct fx fx = { 0 };

    fx_pack_map(&fx, 1);
    fx_pack_text(&fx, "unknown");
    for (size_t i = 0; i < 100000; i++)
        fx_bytes(&fx, "\x9f", 1);
    for (size_t i = 0; i < 1000; i++)
        fx_bytes(&fx, "\xdc\x40\0", 3);
    assert_refused_at_once(&fx, "counts in counts");
    fx_free(&fx);
}

Test(metadata, a_nesting_100000_deep_needs_no_stack)
{
    static const struct {
        const char *bytes;
        size_t size;
    } levels[] = {
        { "\x91", 1 }, { "\x81\xa1k", 3 }, { "\xdc\0\1", 3 }, { "\xdf\0\0\0\1\xa0", 6 }
    };

    for (size_t i = 0; i < RA_COUNT(levels); i++) {
        struct fx fx = { 0 };

        put_head(&fx, 1);
        fx_pack_text(&fx, "unknown");
        for (size_t depth = 0; depth < 100000; depth++)
            fx_bytes(&fx, levels[i].bytes, levels[i].size);
        fx_u8(&fx, 0xc0);
        put_tail(&fx);
        cr_assert_eq(status_of(&fx), RA_OK, "%zu", i);
        fx_cut(&fx, fx.size / 2);
        assert_refused_at_once(&fx, "half of it");
        fx_free(&fx);
    }
}

Test(metadata, a_million_pairs_and_values_are_read)
{
    struct fx fx = { .big = true };

    fx_u8(&fx, 0xdf);
    fx_u32(&fx, 1000001);
    for (size_t i = 0; i < 1000000; i++)
        fx_bytes(&fx, "\xa1k\xc0", 3);
    put_tail(&fx);
    cr_assert_eq(status_of(&fx), RA_OK);
    fx_free(&fx);
    put_head(&fx, 1);
    fx_pack_text(&fx, "unknown");
    fx_u8(&fx, 0xdd);
    fx_u32(&fx, 1000000);
    fx_pad(&fx, fx.size + 1000000);
    put_tail(&fx);
    cr_assert_eq(status_of(&fx), RA_OK);
    fx_free(&fx);
}
