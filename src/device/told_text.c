/* What tools print for people: each has a function that recognises and one that reads. */
#include "base/text.h"
#include "device/told_formats.h"

/* A line "Key:   value" taken apart; the value is empty if there is no colon. */
static void split(struct ra_span line, struct ra_span *key, struct ra_span *value)
{
    struct ra_cursor cur = ra_cursor_over(line);

    *key = told_trim(told_until(&cur, ':'));
    *value = told_trim(ra_cursor_take(&cur, line.size - cur.pos));
}

/* ---- torch ------------------------------------------------------------------- */

#define ARCH_NAME "gcnArchName="

bool told_is_torch(struct ra_span text)
{
    return told_contains(text, ARCH_NAME);
}

/* Move behind the next gcnArchName= in the text. */
static bool find_arch_name(struct ra_cursor *cur)
{
    while (cur->pos < cur->span.size) {
        if (ra_cursor_match(cur, ARCH_NAME, strlen(ARCH_NAME)))
            return true;
        ra_cursor_skip(cur, 1);
    }
    return false;
}

/* _CudaDeviceProperties(name='...', gcnArchName='gfx942:sramecc+:xnack-', ...) */
void told_read_torch(struct told *told, struct ra_span text)
{
    struct ra_cursor cur = ra_cursor_over(text);
    struct told_gpu gpu = { .place = "device" };

    while (!told->is_full && find_arch_name(&cur)) {
        uint8_t quote = ra_cursor_u8(&cur);
        size_t start = cur.pos;

        gpu.name = told_until(&cur, quote);
        /* A name that is not closed may be cut short. */
        if ((quote != '\'' && quote != '"') || cur.pos - start == gpu.name.size)
            gpu.name = (struct ra_span){ 0 };
        told_add(told, &gpu);
        gpu.number++;
    }
}

/* torch.cuda.get_arch_list() is a list of strings. */
bool told_is_arch_list(struct ra_span text)
{
    return told_contains(text, "['gfx") || told_contains(text, "[\"gfx") ||
           told_contains(text, "get_arch_list");
}

/* ---- rocm-smi ------------------------------------------------------------------ */

bool told_is_rocm_smi(struct ra_span text)
{
    return told_contains(text, "ROCm System Management Interface") ||
           told_contains(text, "GFX VER") || told_contains(text, "GFX Version:");
}

/* "GPU[0]   : GFX Version:   gfx90a", and before it "GPU[0]  : Card Model:  0x740f". */
static void read_product(struct told *told, struct told_gpu *gpu, struct ra_span line)
{
    struct ra_cursor cur = ra_cursor_over(line);
    struct ra_span key, value;
    size_t number;

    if (!ra_cursor_match(&cur, "GPU[", strlen("GPU[")) ||
        !told_number(told_until(&cur, ']'), &number))
        return;
    (void)told_until(&cur, ':');
    split(ra_cursor_take(&cur, line.size - cur.pos), &key, &value);
    if (number != gpu->number)
        gpu->pci = (struct ra_span){ 0 };
    gpu->number = number;
    if (told_equals(key, "Card Model") || told_equals(key, "Device ID"))
        gpu->pci = value;
    if (!told_equals(key, "GFX Version"))
        return;
    gpu->name = value;
    told_add(told, gpu);
}

/* "0    2     0x740f  51001  gfx90a   ENABLED ..." of the table of --showhw. */
static void read_row(struct told *told, struct ra_span line)
{
    struct ra_cursor cur = ra_cursor_over(line);
    struct told_gpu gpu = { .place = "GPU" };

    if (!told_number(told_until(&cur, ' '), &gpu.number))
        return;
    while (cur.pos < line.size) {
        struct ra_span word = told_trim(told_until(&cur, ' '));

        /* There are more columns: a name that ends the line is cut short. */
        if (told_starts(word, "gfx") && cur.pos < line.size)
            gpu.name = word;
        else if (told_starts(word, "0x") && gpu.pci.size == 0)
            gpu.pci = word;
    }
    told_add(told, &gpu);
}

void told_read_rocm_smi(struct told *told, struct ra_span text)
{
    struct ra_cursor cur = ra_cursor_over(text);
    struct told_gpu gpu = { .place = "GPU" };
    bool has_products = told_contains(text, "GFX Version:"), in_table = false;
    struct ra_span line;

    while (!told->is_full && told_line(&cur, &line)) {
        if (has_products)
            read_product(told, &gpu, line);
        else if (told_contains(line, "GFX VER"))
            in_table = true;
        else if (told_starts(line, "="))
            in_table = false;
        else if (in_table)
            read_row(told, line);
    }
}

/* ---- amd-smi ------------------------------------------------------------------- */

bool told_is_amd_smi(struct ra_span text)
{
    return told_contains(text, "TARGET_GRAPHICS_VERSION:");
}

/* A GPU that was begun is over; it may not have been named. */
static void end_gpu(struct told *told, struct told_gpu *gpu)
{
    if (gpu->place)
        told_add(told, gpu);
    *gpu = (struct told_gpu){ 0 };
}

/* "GPU: 0" and what is said of it; without such a line, each name is a GPU. */
void told_read_amd_smi(struct told *told, struct ra_span text)
{
    struct ra_cursor cur = ra_cursor_over(text);
    struct told_gpu gpu = { 0 };
    struct ra_span line, key, value;

    for (size_t row = 1; !told->is_full && told_line(&cur, &line); row++) {
        size_t number;

        split(line, &key, &value);
        if (told_equals(key, "GPU") && told_number(value, &number)) {
            end_gpu(told, &gpu);
            gpu = (struct told_gpu){ .place = "GPU", .number = number };
        } else if (told_equals(key, "DEVICE_ID")) {
            gpu.pci = value;
        } else if (told_equals(key, "TARGET_GRAPHICS_VERSION")) {
            if (!gpu.place || gpu.name.size > 0) {
                end_gpu(told, &gpu);
                gpu = (struct told_gpu){ .place = "line", .number = row };
            }
            gpu.name = value;
        }
    }
    end_gpu(told, &gpu);
}

/* ---- rocminfo ------------------------------------------------------------------ */

/* An agent of HSA: a CPU, a GPU or another; its ISAs are native first, then generic. */
struct agent {
    const char *place; /* "agent" where they are numbered, else "line"; NULL: none */
    size_t number;
    struct ra_span name, isa;
    bool is_gpu;
};

static bool is_isa(struct ra_span value)
{
    return told_starts(value, "amdgcn-");
}

/* What rocminfo says when it cannot work; it colours it. */
static const char *const complaints[] = { "ROCk module", "Unable to open /dev/kfd",
                                          "hsa api call failure" };

static bool is_complaint(struct ra_span line)
{
    for (size_t i = 0; i < RA_COUNT(complaints); i++)
        if (told_starts(line, complaints[i]))
            return true;
    return false;
}

/* What is left of it by rocminfo | grep. */
static bool has_agent_name(struct ra_span text)
{
    struct ra_cursor cur = ra_cursor_over(text);
    struct ra_span line, key, value;

    while (told_line(&cur, &line)) {
        split(line, &key, &value);
        if (told_equals(key, "Name") && (told_starts(value, "gfx") || is_isa(value)))
            return true;
    }
    return false;
}

bool told_is_rocminfo(struct ra_span text)
{
    for (size_t i = 0; i < RA_COUNT(complaints); i++)
        if (told_contains(text, complaints[i]))
            return true;
    return told_contains(text, "HSA System Attributes") ||
           told_contains(text, "HSA Agents") ||
           (told_contains(text, "Name:") && has_agent_name(text));
}

static void end_agent(struct told *told, struct agent *agent)
{
    struct told_gpu gpu = { .place = agent->place, .number = agent->number };

    gpu.name = agent->isa.size > 0 ? agent->isa : agent->name;
    if (agent->isa.size > 0 || agent->is_gpu || told_starts(agent->name, "gfx"))
        told_add(told, &gpu);
    *agent = (struct agent){ 0 };
}

/* A name is one of the agent's ISAs, or its own, with which it begins where agents are
 * not numbered. */
static void take_name(struct told *told, struct agent *agent, struct ra_span name,
                      size_t row)
{
    bool isa = is_isa(name), over = isa ? agent->isa.size > 0 : agent->name.size > 0;

    if (isa && told_is_generic(name))
        return;
    if (isa && over && (agent->name.size > 0 || strcmp(agent->place, "agent") == 0))
        return;
    if (over)
        end_agent(told, agent);
    if (!agent->place)
        *agent = (struct agent){ .place = "line", .number = row };
    if (isa)
        agent->isa = name;
    else
        agent->name = name;
}

/* "rocminfo reported: ...", unless it is "ROCk module is loaded". */
static void take_complaint(struct told *told, struct ra_span line)
{
    const char *shown;

    if (!is_complaint(line) || told_contains(line, "is loaded"))
        return;
    shown = told_excerpt(told, line);
    if (shown)
        shown = ra_text_format(told->arena, "rocminfo reported: %s", shown);
    if (shown)
        told->why = shown;
    else
        told->status = RA_E_NOMEM;
}

void told_read_rocminfo(struct told *told, struct ra_span text)
{
    struct ra_cursor cur = ra_cursor_over(text);
    const char *nothing = told->why;
    struct agent agent = { 0 };
    struct ra_span line, key, value;

    for (size_t row = 1; !told->is_full && told_line(&cur, &line); row++) {
        struct ra_cursor heading = ra_cursor_over(line);
        size_t number;

        split(line, &key, &value);
        if (told_equals(key, "Name"))
            take_name(told, &agent, value, row);
        else if (told_equals(key, "Device Type"))
            agent.is_gpu = agent.place && told_equals(value, "GPU");
        else if (told->why == nothing)
            take_complaint(told, line);
        if (ra_cursor_match(&heading, "Agent ", strlen("Agent ")) &&
            told_number(told_until(&heading, ' '), &number)) {
            end_agent(told, &agent);
            agent = (struct agent){ .place = "agent", .number = number };
        }
    }
    end_agent(told, &agent);
}

/* ---- a name a line ------------------------------------------------------------- */

/* The target a line of a list names, without a comment. */
static struct ra_span target_in(struct ra_span line)
{
    struct ra_cursor cur = ra_cursor_over(line);

    return told_trim(told_until(&cur, '#'));
}

/* Whether some line is alone with a word that starts so. */
static bool has_line(struct ra_span text, const char *start)
{
    struct ra_cursor cur = ra_cursor_over(text);
    struct ra_span line;

    if (!told_contains(text, start))
        return false;
    while (told_line(&cur, &line)) {
        struct ra_span target = target_in(line);

        if (told_starts(target, start) && !told_contains(target, " "))
            return true;
    }
    return false;
}

/* Only rocm_agent_enumerator lists CPUs, and ISA names. */
bool told_is_enumerator(struct ra_span text)
{
    return has_line(text, "gfx000") || has_line(text, "amdgcn-");
}

/* amdgpu-arch and offload-arch print no more than their users would write. */
bool told_is_list(struct ra_span text)
{
    return has_line(text, "gfx");
}

void told_read_list(struct told *told, struct ra_span text)
{
    struct ra_cursor cur = ra_cursor_over(text);
    struct told_gpu gpu = { .place = "line" };
    struct ra_span line;

    while (!told->is_full && told_line(&cur, &line)) {
        gpu.number++;
        gpu.name = target_in(line);
        if (gpu.name.size > 0)
            told_add(told, &gpu);
    }
}
