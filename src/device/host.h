/*
 * host.h - what each source says of a machine's GPUs, and what is made of it.
 *
 * First every source is read by itself: the topology of KFD, IP discovery, the PCI bus,
 * the device files. Then gather.c makes GPUs of them, the variables and the xnack mode of
 * the process change what HIP would see, and found.c makes devices of what came out.
 */
#ifndef RA_HOST_H
#define RA_HOST_H

#include "device/device.h"
#include "device/sysfs.h"

/* ---- sources ---------------------------------------------------------------- */

/** A property that the kernel may not have written. */
struct ra_property {
    bool exists;
    uint64_t value;
};

/** What a node's properties say that we act on. */
struct ra_kfd_node {
    uint32_t number;
    enum ra_reading reading;
    struct ra_property cpu_cores, simds, version, capability;
    struct ra_property device_id, location, domain, unique_id, render_minor;
};

struct ra_kfd {
    bool exists, too_many;
    struct ra_kfd_node *nodes; /**< in numeric order */
    size_t count;
};

/** Read the topology below `root`, which may be the topology folder itself. */
RA_MUST_CHECK enum ra_status ra_kfd_read(int root, struct ra_arena *arena,
                                         struct ra_kfd *ret);

/** A version of the graphics IP, which is not the number in a gfx name. */
struct ra_gc {
    unsigned major, minor, revision;
};

/** The processor of a graphics IP; NULL: not known. */
const char *ra_gc_processor(struct ra_gc gc);

/** The graphics IP of a processor: one of them, where several share the name. */
bool ra_gc_of(const char *processor, struct ra_gc *ret);

/** A graphics card by the display driver. */
struct ra_card {
    uint32_t number; /**< of class/drm/cardN */
    bool has_address;
    uint64_t address;
    struct ra_gc gc;
};

struct ra_cards {
    struct ra_card *list;
    size_t count;
};

RA_MUST_CHECK enum ra_status ra_discovery_read(int root, struct ra_arena *arena,
                                               struct ra_cards *ret);

/** The card at a PCI address, or NULL. */
const struct ra_card *ra_discovery_at(const struct ra_cards *cards, uint64_t address);

#define RA_PCI_TEXT 24 /* "ffffffff:ff:1f.7" and some air */

/** A PCI address as one number that sorts as it is counted. */
uint64_t ra_pci_address(uint64_t domain, uint64_t bus_device_function);
void ra_pci_spell(uint64_t address, char ret[RA_PCI_TEXT]);

/** Read an address as the kernel spells it. */
bool ra_pci_parse(const char *name, uint64_t *ret);

/** An AMD GPU on the PCI bus. */
struct ra_pci_gpu {
    uint64_t address;
    uint32_t id; /**< device ID */
};

struct ra_pci {
    bool exists; /**< there is a PCI bus to look at */
    struct ra_pci_gpu *list;
    size_t count;
};

RA_MUST_CHECK enum ra_status ra_pci_read(int root, struct ra_arena *arena,
                                         struct ra_pci *ret);

/** What a device ID stands for. */
struct ra_pci_row {
    uint32_t id;
    const char *processor, *product; /**< product "": no better than the processor's */
};

const struct ra_pci_row *ra_pci_by_id(uint64_t id);

/** How /dev/kfd answered. */
enum ra_opening { RA_OPENING_NOT_TRIED, RA_OPENING_DONE, RA_OPENING_REFUSED };

/** The device files that compute needs. */
struct ra_files {
    enum ra_opening kfd;
    int error;                /**< of RA_OPENING_REFUSED */
    unsigned mode;            /**< permissions of /dev/kfd; 0: not known */
    const char *group;        /**< that owns it, escaped; "" if not known */
    bool has_dxg;             /**< WSL2 */
    struct ra_property xnack; /**< mode of a process, as KFD says */
};

RA_MUST_CHECK enum ra_status ra_files_read(int dev, const struct ra_device_search *search,
                                           struct ra_arena *arena, struct ra_files *ret);

/** Whether a process may use the GPU of a render node; else errno in `error`. */
bool ra_files_render(int dev, uint64_t minor, int *error);

/** The parameter of the amdgpu module that says whether page faults are retried. */
enum ra_noretry { RA_NORETRY_UNKNOWN, RA_NORETRY_AUTO, RA_NORETRY_OFF, RA_NORETRY_ON };

enum ra_noretry ra_noretry_read(int root);

/** All of the sources. */
struct ra_host {
    const char *shown; /**< the sysfs root, escaped */
    int root, dev;     /**< folders; -1: none */
    bool has_driver;   /**< the amdgpu module */
    enum ra_noretry noretry;
    struct ra_kfd kfd;
    struct ra_cards cards;
    struct ra_pci pci;
    struct ra_files files;
};

/* ---- GPUs ------------------------------------------------------------------- */

/** A GPU while facts are put together. */
struct ra_gpu {
    const char *source, *why; /**< why NULL: there was no memory */
    char processor[sizeof(((struct ra_target *)0)->processor)]; /**< "": not known */
    enum ra_origin origin;                                      /**< of `processor` */
    struct ra_property capability;
    uint64_t unique_id, device_id; /**< 0: not known */
    const char *product;           /**< by the device ID; NULL: not known */
    bool is_apu, in_kfd;
    struct ra_property thunk;  /**< number that variables count it by */
    const char *override_text; /**< "NAME=VALUE", escaped; NULL: none */
    bool override_invalid;
    char override[sizeof(((struct ra_target *)0)->processor)];
    const char *skipped; /**< why HIP does not see it; NULL: it does */
    size_t rank;         /**< its place among those HIP sees */
    size_t number;       /**< by which ROCR_VISIBLE_DEVICES knows it */
};

/** What is worth telling of the whole. */
struct ra_gpus {
    struct ra_gpu *list; /**< as KFD counts them, else by PCI address */
    size_t count;
    size_t hidden, broken; /**< nodes of KFD that may not, or cannot, be read */
    size_t thunk_nodes;    /**< nodes a process may use, as variables count them */
    size_t unreachable;    /**< GPUs whose render node may not be opened */
    uint32_t first_broken;
    uint64_t unreachable_minor;
    int unreachable_error;
    const char *disagreement; /**< of sources, the first one; NULL: none */
    bool without_kfd;         /**< found by the other sources alone */
};

/** GPUs of all sources, each by the best of them. */
RA_MUST_CHECK enum ra_status ra_gpus_gather(const struct ra_host *host,
                                            struct ra_arena *arena, struct ra_gpus *ret);

/** Add words to what is told of a GPU; NULL: there was no memory for them. */
void ra_gpu_why(struct ra_gpu *gpu, struct ra_arena *arena, const char *words);

/* ---- the process ------------------------------------------------------------ */

/** The value of a variable, as getenv() would find it; NULL: not set. */
const char *ra_variable(const char *const *environment, const char *name);

/** "NAME=VALUE", escaped; NULL if there is no memory. */
const char *ra_variable_text(struct ra_arena *arena, const char *name, const char *value);

/** Let HSA_OVERRIDE_GFX_VERSION and its numbered forms act on the GPUs. */
RA_MUST_CHECK enum ra_status ra_override(const char *const *environment,
                                         struct ra_arena *arena, struct ra_gpus *gpus);

/** Let ROCR_, HIP_ and CUDA_VISIBLE_DEVICES hide and reorder them. */
RA_MUST_CHECK enum ra_status ra_visible(const char *const *environment,
                                        struct ra_arena *arena, struct ra_gpus *gpus);

/** The xnack mode of a process, which all GPUs in it share. */
struct ra_xnack {
    bool on, assumed;
    enum ra_origin origin;
    const char *why;
};

RA_MUST_CHECK enum ra_status ra_xnack_mode(const struct ra_host *host,
                                           const struct ra_gpus *gpus,
                                           const char *const *environment,
                                           struct ra_arena *arena, struct ra_xnack *ret);

/** The mode that holds for a processor: there is one that ROCr makes an exception of. */
struct ra_xnack ra_xnack_of(const struct ra_xnack *process, const char *processor);

/** What is wrong and what follows, for `text` of struct ra_devices; NULL: no memory. */
const char *ra_host_trouble(const struct ra_host *host, const struct ra_gpus *gpus,
                            struct ra_arena *arena);

#endif
