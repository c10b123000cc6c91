#include "base/text.h"
#include "device/host.h"

/* The functions of amdkfd and amdgpu that are followed here: kfd_process_xnack_mode() in
   kfd_process.c, amdgpu_gmc_noretry_set() in amdgpu_gmc.c. */

/* ROCr leaves xnack off on it, whatever the driver says. */
#define ALWAYS_OFF "gfx90c"

/* A virtual function of an MI200 cannot retry. */
#define MI200_VIRTUAL 0x7410

/* How a GPU takes part in the choice of the mode. */
struct member {
    bool counts;  /* a GPU before Vega does not */
    bool vetoes;  /* RDNA and later: no process with it retries page faults */
    bool chooses; /* its mode is that of the process, not of the boot */
    bool retries; /* by the parameter, or by default */
};

static unsigned packed(struct ra_gc gc)
{
    return gc.major << 16 | gc.minor << 8 | gc.revision;
}

#define GC_VERSION(major, minor, revision) ((major) << 16 | (minor) << 8 | (revision))

/* Whether page faults are not retried unless somebody asks for it. */
static bool noretry_by_default(unsigned gc)
{
    static const unsigned versions[] = {
        GC_VERSION(9, 0, 1), GC_VERSION(9, 4, 0), GC_VERSION(9, 4, 1),
        GC_VERSION(9, 4, 2), GC_VERSION(9, 4, 3), GC_VERSION(9, 4, 4),
        GC_VERSION(9, 5, 0),
    };

    for (size_t i = 0; i < RA_COUNT(versions); i++)
        if (gc == versions[i])
            return true;
    return gc >= GC_VERSION(10, 3, 0);
}

static struct member member_of(const struct ra_gpu *gpu, enum ra_noretry noretry)
{
    struct member ret = { 0 };
    struct ra_gc gc;
    unsigned version;

    if (!ra_gc_of(gpu->processor, &gc)) {
        /* The name of a processor newer than the table has four digits. */
        ret.vetoes = ret.counts = strlen(gpu->processor) >= strlen("gfx1030");
        return ret;
    }
    version = packed(gc);
    ret.counts = true;
    ret.vetoes = version >= GC_VERSION(10, 1, 1);
    ret.chooses = (version == GC_VERSION(9, 4, 2) && gpu->device_id != MI200_VIRTUAL) ||
                  version == GC_VERSION(9, 4, 3) || version == GC_VERSION(9, 5, 0);
    ret.retries = noretry == RA_NORETRY_OFF ||
                  (noretry != RA_NORETRY_ON && !noretry_by_default(version));
    return ret;
}

/* ---- the parameter ---------------------------------------------------------- */

enum ra_noretry ra_noretry_read(int root)
{
    static const struct {
        const char *text;
        enum ra_noretry noretry;
    } values[] = {
        { "-1\n", RA_NORETRY_AUTO },
        { "0\n", RA_NORETRY_OFF },
        { "1\n", RA_NORETRY_ON },
    };
    uint8_t window[8 + 1];
    struct ra_span text;

    if (ra_sysfs_text(root, "module/amdgpu/parameters/noretry", sizeof(window) - 1,
                      window, &text) != RA_READING_DONE)
        return RA_NORETRY_UNKNOWN;
    for (size_t i = 0; i < RA_COUNT(values); i++)
        if (text.size == strlen(values[i].text) &&
            memcmp(text.data, values[i].text, text.size) == 0)
            return values[i].noretry;
    return RA_NORETRY_UNKNOWN;
}

static const char *noretry_text(enum ra_noretry noretry)
{
    static const char *const texts[] = {
        [RA_NORETRY_UNKNOWN] = "noretry is not known",
        [RA_NORETRY_AUTO] = "noretry is auto",
        [RA_NORETRY_OFF] = "noretry is 0",
        [RA_NORETRY_ON] = "noretry is 1",
    };

    return texts[noretry];
}

/* ---- the mode --------------------------------------------------------------- */

/*
 * The GPU that keeps xnack off: one that vetoes rather than one that does not retry.
 *
 * @param asked  whether a program asks for xnack, which a GPU that chooses can grant
 * @return NULL if none does
 */
static const struct ra_gpu *obstacle(const struct ra_gpus *gpus, enum ra_noretry noretry,
                                     bool asked, bool *vetoes)
{
    const struct ra_gpu *found = NULL;

    *vetoes = false;
    for (size_t i = 0; i < gpus->count && !*vetoes; i++) {
        const struct ra_gpu *gpu = &gpus->list[i];
        struct member member = member_of(gpu, noretry);

        if (!member.counts || (asked && member.chooses))
            continue;
        if (member.vetoes || (!member.retries && !found))
            found = gpu;
        *vetoes = member.vetoes;
    }
    return found;
}

/* The mode of a process that asks for nothing. */
static void infer(const struct ra_gpus *gpus, enum ra_noretry noretry,
                  struct ra_arena *arena, struct ra_xnack *ret)
{
    bool vetoes;
    const struct ra_gpu *gpu = obstacle(gpus, noretry, false, &vetoes);

    ret->on = !gpu;
    ret->assumed = true;
    ret->origin = RA_FROM_INFERENCE;
    if (!gpu)
        ret->why = ra_text_format(arena, "xnack on inferred: %s and no GPU keeps it off",
                                  noretry_text(noretry));
    else if (vetoes)
        ret->why = ra_text_format(
            arena, "xnack off inferred: no process with a %s has it", gpu->processor);
    else if (noretry == RA_NORETRY_ON)
        ret->why = "xnack off inferred: noretry is 1";
    else
        ret->why = ra_text_format(arena, "xnack off inferred: %s and %s defaults to off",
                                  noretry_text(noretry), gpu->processor);
}

static void ask(const struct ra_host *host, const struct ra_gpus *gpus,
                struct ra_arena *arena, struct ra_xnack *ret)
{
    if (!host->files.xnack.exists) {
        infer(gpus, host->noretry, arena, ret);
        return;
    }
    ret->on = host->files.xnack.value == 1;
    ret->assumed = false;
    ret->origin = RA_FROM_IOCTL;
    ret->why = ret->on ? "xnack on by ioctl" : "xnack off by ioctl";
}

/* A request for xnack that the driver turns down changes nothing. */
static void turn_down(const struct ra_gpu *gpu, bool vetoes, enum ra_noretry noretry,
                      struct ra_arena *arena, struct ra_xnack *ret)
{
    const char *reason =
        vetoes ? ra_text_format(arena, "no process with a %s has xnack", gpu->processor)
               : ra_text_format(arena, "%s and %s has one mode for all processes",
                                noretry_text(noretry), gpu->processor);

    if (ret->why && reason)
        ret->why = ra_text_format(arena, "%s, HSA_XNACK=1 ignored: %s", ret->why, reason);
    else
        ret->why = NULL;
}

static void request(const struct ra_host *host, const struct ra_gpus *gpus,
                    const char *value, struct ra_arena *arena, struct ra_xnack *ret)
{
    bool on = strcmp(value, "1") == 0, vetoes;
    const struct ra_gpu *gpu;

    if (!on && strcmp(value, "0") != 0) {
        const char *text = ra_variable_text(arena, "HSA_XNACK", value);

        ret->why = ret->why && text
                       ? ra_text_format(arena, "%s, %s ignored: it is neither 0 nor 1",
                                        ret->why, text)
                       : NULL;
        return;
    }
    gpu = on && !ret->on ? obstacle(gpus, host->noretry, true, &vetoes) : NULL;
    if (gpu) {
        turn_down(gpu, vetoes, host->noretry, arena, ret);
        return;
    }
    ret->on = on;
    ret->assumed = false;
    ret->origin = RA_FROM_ENVIRONMENT;
    ret->why = on ? "xnack on by HSA_XNACK=1" : "xnack off by HSA_XNACK=0";
}

enum ra_status ra_xnack_mode(const struct ra_host *host, const struct ra_gpus *gpus,
                             const char *const *environment, struct ra_arena *arena,
                             struct ra_xnack *ret)
{
    const char *value = ra_variable(environment, "HSA_XNACK");

    ask(host, gpus, arena, ret);
    if (value && value[0] && ret->why)
        request(host, gpus, value, arena, ret);
    return ret->why ? RA_OK : RA_E_NOMEM;
}

struct ra_xnack ra_xnack_of(const struct ra_xnack *process, const char *processor)
{
    if (strcmp(processor, ALWAYS_OFF) != 0)
        return *process;
    return (struct ra_xnack){
        .assumed = true,
        .origin = RA_FROM_INFERENCE,
        .why = "xnack off inferred: ROCm keeps it off on a " ALWAYS_OFF
    };
}
