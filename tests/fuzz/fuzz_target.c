/* Target IDs and entry IDs: any text is either refused or means what it is spelled as. */
#include "bundle/entryid.h"
#include "gfx/target.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ra_span span_of(const char *text)
{
    return (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
}

static void assert_empty(const struct ra_target *target)
{
    assert(target->processor[0] == '\0');
    assert(target->sramecc == RA_SETTING_NONE && target->xnack == RA_SETTING_NONE);
}

/* The old form spells off by leaving it out; what is spelled is the new one. */
static void check_target(struct ra_span span)
{
    struct ra_target target, again;
    char text[RA_TARGET_TEXT], other[RA_TARGET_TEXT];

    if (!ra_target_parse(span, &target)) {
        assert_empty(&target);
        return;
    }
    assert(target.processor[0] != '\0');
    ra_target_spell(&target, text);
    assert(ra_target_parse(span_of(text), &again));
    assert(strcmp(target.processor, again.processor) == 0);
    assert(target.sramecc == again.sramecc && target.xnack == again.xnack);
    ra_target_spell(&again, other);
    assert(strcmp(text, other) == 0);
}

/* What is left of an entry ID is its own end. */
static struct ra_entry_id check_id(struct ra_span span)
{
    struct ra_entry_id id = ra_entry_id_parse(span);
    struct ra_target target;

    assert(id.processor[0] == '\0' || ra_target_parse(span_of(id.processor), &target));
    if (id.target.size == 0)
        return id;
    assert(id.kind != RA_ENTRY_HOST && id.kind != RA_ENTRY_RAW);
    assert(id.target.size < span.size);
    assert(id.target.data + id.target.size == span.data + span.size);
    assert(id.target.base == span.base + (span.size - id.target.size));
    return id;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_span span = { data, size, 7 };
    uint32_t flags = 0;
    struct ra_target target;
    unsigned generic;

    check_target(span);
    check_target(check_id(span).target);
    memcpy(&flags, data, size < sizeof(flags) ? size : sizeof(flags));
    for (unsigned version = 0; version < 8; version++) {
        if (ra_target_from_flags(flags, version, &target, &generic))
            assert(ra_processor_by_name(target.processor));
        else
            assert_empty(&target);
    }
    return 0;
}
