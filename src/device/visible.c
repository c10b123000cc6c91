#include "base/text.h"
#include "device/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define UUID_TEXT sizeof("GPU-0123456789abcdef")

/* A variable that picks GPUs out of those that are `left`, and orders them. */
struct list {
    const char *name, *value;
    struct ra_gpu **left;
    size_t count;
    struct ra_gpu **picked;
    size_t picked_count;
};

static bool was_picked(const struct list *list, const struct ra_gpu *gpu)
{
    for (size_t i = 0; i < list->picked_count; i++)
        if (list->picked[i] == gpu)
            return true;
    return false;
}

/* The part up to a comma, which is passed over. */
static struct ra_span next_token(struct ra_cursor *cur)
{
    struct ra_cursor ahead = *cur;
    struct ra_span token;
    size_t size = 0;

    while (ra_cursor_u8(&ahead) != ',' && ra_cursor_ok(&ahead))
        size++;
    token = ra_cursor_take(cur, size);
    (void)ra_cursor_match(cur, ",", 1);
    return token;
}

/* ---- ROCR_VISIBLE_DEVICES (amd_filter_device.cpp) --------------------------- */

static bool is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static struct ra_span trim(struct ra_span token)
{
    while (token.size > 0 && is_space(token.data[0])) {
        token.data++;
        token.size--;
    }
    while (token.size > 0 && is_space(token.data[token.size - 1]))
        token.size--;
    return token;
}

static uint8_t to_lower(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte - 'A' + 'a') : byte;
}

/* Whether `token`, in any case, is how the ID of the GPU begins. APUs have no ID. */
static bool begins_uuid(struct ra_span token, const struct ra_gpu *gpu)
{
    char uuid[UUID_TEXT];

    if (gpu->unique_id == 0 || token.size >= UUID_TEXT)
        return false;
    (void)snprintf(uuid, sizeof(uuid), "gpu-%016" PRIx64, gpu->unique_id);
    for (size_t i = 0; i < token.size; i++)
        if (to_lower(token.data[i]) != (uint8_t)uuid[i])
            return false;
    return true;
}

/* The one GPU whose ID begins so; NULL if there is none, or more than one. */
static struct ra_gpu *by_prefix(const struct list *list, struct ra_span token)
{
    struct ra_gpu *found = NULL;

    for (size_t i = 0; i < list->count && token.size > strlen("GPU-"); i++) {
        if (!begins_uuid(token, list->left[i]))
            continue;
        if (found)
            return NULL;
        found = list->left[i];
    }
    return found;
}

/* The GPU of a number as strtol() reads it, hexadecimal and octal too. */
static struct ra_gpu *by_number(const struct list *list, struct ra_span token)
{
    char text[UUID_TEXT], *end;
    long index;

    if (token.size == 0 || token.size >= sizeof(text))
        return NULL;
    memcpy(text, token.data, token.size);
    text[token.size] = '\0';
    errno = 0;
    index = strtol(text, &end, 0);
    if (errno != 0 || end != text + token.size || index < 0 ||
        (size_t)index >= list->count)
        return NULL;
    return list->left[index];
}

/* The first token that is wrong, or names a GPU again, ends the list. */
static void pick_for_rocr(struct list *list)
{
    struct ra_cursor cur = ra_cursor_over(
        (struct ra_span){ (const uint8_t *)list->value, strlen(list->value), 0 });

    while (cur.pos < cur.span.size) {
        struct ra_span token = trim(next_token(&cur));
        bool is_uuid = token.size > 0 && to_lower(token.data[0]) == 'g';
        struct ra_gpu *gpu = is_uuid ? by_prefix(list, token) : by_number(list, token);

        if (!gpu || was_picked(list, gpu))
            return;
        list->picked[list->picked_count++] = gpu;
    }
}

/* ---- HIP_VISIBLE_DEVICES (rocdevice.cpp) ------------------------------------ */

static bool holds(const char *text, struct ra_span part)
{
    return memmem(text, strlen(text), part.data, part.size) != NULL;
}

/* The first GPU whose ID holds the token; its letters are small ones here. */
static struct ra_gpu *by_uuid(const struct list *list, struct ra_span token)
{
    for (size_t i = 0; i < list->count; i++) {
        struct ra_gpu *gpu = list->left[i];
        char uuid[UUID_TEXT] = "GPU-XX";

        if (gpu->unique_id != 0)
            (void)snprintf(uuid, sizeof(uuid), "GPU-%016" PRIx64, gpu->unique_id);
        if (holds(uuid, token))
            return gpu;
    }
    return NULL;
}

/* Only a decimal number without frills is an index. */
static struct ra_gpu *by_index(const struct list *list, struct ra_span token)
{
    uint64_t index;

    if (!ra_sysfs_decimal(token, &index) || index >= list->count ||
        (token.data[0] == '0' && token.size > 1))
        return NULL;
    return list->left[index];
}

/* The first wrong token ends the list; one that names a GPU again does not. */
static void pick_for_hip(struct list *list)
{
    struct ra_cursor cur = ra_cursor_over(
        (struct ra_span){ (const uint8_t *)list->value, strlen(list->value), 0 });

    while (cur.pos < cur.span.size) {
        struct ra_span token = next_token(&cur);
        bool is_uuid = token.size >= 4 && memmem(token.data, token.size, "GPU-", 4);
        struct ra_gpu *gpu = is_uuid ? by_uuid(list, token) : by_index(list, token);

        if (!gpu)
            return;
        if (!was_picked(list, gpu))
            list->picked[list->picked_count++] = gpu;
    }
}

/* ---- both ------------------------------------------------------------------- */

/* Hide what was not picked; what was is left, in the order of picking. */
static enum ra_status settle(struct list *list, struct ra_arena *arena)
{
    const char *variable = ra_variable_text(arena, list->name, list->value);
    const char *why = variable ? ra_text_format(arena, "hidden by %s", variable) : NULL;

    if (!why)
        return RA_E_NOMEM;
    for (size_t i = 0; i < list->count; i++)
        if (!was_picked(list, list->left[i]))
            list->left[i]->skipped = why;
    list->count = list->picked_count;
    list->picked_count = 0;
    memcpy(list->left, list->picked, list->count * sizeof(struct ra_gpu *));
    return RA_OK;
}

static enum ra_status apply_hip(struct list *list, const char *const *environment,
                                struct ra_arena *arena)
{
    static const char *const names[] = { "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES" };

    /* An empty one hides nothing, unlike that of ROCr. */
    for (size_t i = 0; i < RA_COUNT(names); i++) {
        list->name = names[i];
        list->value = ra_variable(environment, names[i]);
        if (!list->value || !list->value[0])
            continue;
        pick_for_hip(list);
        return settle(list, arena);
    }
    return RA_OK;
}

enum ra_status ra_visible(const char *const *environment, struct ra_arena *arena,
                          struct ra_gpus *gpus)
{
    struct list list = { .name = "ROCR_VISIBLE_DEVICES" };
    enum ra_status status = RA_OK;

    list.left = ra_new(arena, struct ra_gpu *, gpus->count);
    list.picked = ra_new(arena, struct ra_gpu *, gpus->count);
    if (!list.left || !list.picked)
        return RA_E_NOMEM;
    for (size_t i = 0; i < gpus->count; i++)
        if (!gpus->list[i].skipped)
            list.left[list.count++] = &gpus->list[i];
    list.value = ra_variable(environment, list.name);
    if (list.value) {
        pick_for_rocr(&list);
        status = settle(&list, arena);
    }
    if (status == RA_OK)
        status = apply_hip(&list, environment, arena);
    for (size_t i = 0; i < list.count; i++)
        list.left[i]->rank = i;
    return status;
}
