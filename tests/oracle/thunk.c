/*
 * thunk.c - a libhsakmt.so.1 that invents GPUs, for the real ROCr and HIP above it.
 *
 * ORACLE_AGENTS is a list such as "gfx90a:sramecc+:xnack-,gfx1030"; xnack is a mode of
 * the process, on if any of them says so. It is read when the driver is opened, so that
 * a child may set it after a fork. Memory is host memory. A thread completes each packet
 * of a queue without executing it: a launch succeeds and computes nothing.
 *
 * Spec: the public headers of libhsakmt-dev; hsa.h for AQL packets.
 */
#include <errno.h>
#include <hsakmt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define OK     HSAKMT_STATUS_SUCCESS
#define UNUSED __attribute__((unused))
#define GIB    ((HSAuint64)1 << 30)

enum { GPUS = 16, PAGE = 4096, PACKET = 64, RENDER_MINOR = 127 };

struct gpu {
    unsigned major, minor, stepping;
    bool sramecc;
    char name[16];
};

static struct gpu gpus[GPUS];
static unsigned gpu_count;
static bool xnack;

static unsigned digits_of(const char *text, size_t size, int base)
{
    char digits[8] = { 0 };

    memcpy(digits, text, size);
    return (unsigned)strtoul(digits, NULL, base);
}

/* gfx90a is 9.0.10: the last two are hexadecimal. */
static bool read_gpu(const char *word, struct gpu *ret)
{
    size_t size = strcspn(word, ":");

    if (strncmp(word, "gfx", 3) != 0 || size < 6 || size > 7)
        return false;
    *ret = (struct gpu){ .sramecc = strstr(word, ":sramecc+") != NULL };
    memcpy(ret->name, word, size);
    ret->major = digits_of(word + 3, size - 5, 10);
    ret->minor = digits_of(word + size - 2, 1, 16);
    ret->stepping = digits_of(word + size - 1, 1, 16);
    xnack |= strstr(word, ":xnack+") != NULL;
    return true;
}

static void read_agents(void)
{
    const char *said = getenv("ORACLE_AGENTS");
    char *words = strdup(said ? said : ""), *rest = words;

    gpu_count = 0;
    xnack = false;
    for (char *word; words && (word = strsep(&rest, ","));) {
        if (*word == '\0' || gpu_count == GPUS)
            continue;
        if (read_gpu(word, &gpus[gpu_count]))
            gpu_count++;
        else
            fprintf(stderr, "thunk: no agent: %s\n", word);
    }
    free(words);
}

/* Copies then go through queues, which are drained here. */
__attribute__((constructor)) static void begin(void)
{
    setenv("HSA_ENABLE_SDMA", "0", 0);
}

/* ---- topology ----------------------------------------------------------------- */

HSAKMT_STATUS hsaKmtOpenKFD(void)
{
    read_agents();
    return OK;
}

HSAKMT_STATUS hsaKmtCloseKFD(void)
{
    return OK;
}

HSAKMT_STATUS hsaKmtGetVersion(HsaVersionInfo *version)
{
    version->KernelInterfaceMajorVersion = 1;
    version->KernelInterfaceMinorVersion = 8;
    return OK;
}

HSAKMT_STATUS hsaKmtAcquireSystemProperties(HsaSystemProperties *system)
{
    *system = (HsaSystemProperties){ .NumNodes = 1 + gpu_count };
    system->PlatformOem = system->PlatformId = 1;
    return OK;
}

HSAKMT_STATUS hsaKmtReleaseSystemProperties(void)
{
    return OK;
}

static void put_wide(HSAuint16 *wide, const char *text)
{
    do
        *wide++ = (unsigned char)*text;
    while (*text++);
}

static void put_cpu(HsaNodeProperties *node)
{
    node->NumCPUCores = 2;
    node->NumMemoryBanks = 1;
    node->NumCaches = 2;
    node->NumIOLinks = gpu_count;
    node->MaxEngineClockMhzCCompute = 2000;
    node->DrmRenderMinor = -1;
    put_wide(node->MarketingName, "invented processor");
    strcpy((char *)node->AMDName, "cpu");
}

/* ROCr computes with these; none of them has a say in what is loaded. */
static void put_sizes(HsaNodeProperties *node, bool rdna)
{
    node->NumSIMDPerCU = rdna ? 2 : 4;
    node->NumShaderBanks = 4;
    node->NumArrays = rdna ? 2 : 1;
    node->NumCUPerArray = rdna ? 5 : 10;
    node->NumFComputeCores = 40 * node->NumSIMDPerCU;
    node->NumMemoryBanks = 4;
    node->NumCaches = 2;
    node->NumIOLinks = 1;
    node->MaxWavesPerSIMD = rdna ? 16 : 8;
    node->LDSSizeInKB = 64;
    node->WaveFrontSize = rdna ? 32 : 64;
    node->MaxSlotsScratchCU = 32;
    node->LocalMemSize = 8 * GIB;
    node->MaxEngineClockMhzFCompute = node->MaxEngineClockMhzCCompute = 1500;
    node->NumSdmaEngines = 2;
    node->NumSdmaQueuesPerEngine = 8;
    node->NumCpQueues = 24;
    node->VGPRSizePerCU = 262144;
    node->SGPRSizePerCU = 12800;
}

static void put_gpu(HsaNodeProperties *node, const struct gpu *gpu, unsigned number)
{
    put_sizes(node, gpu->major >= 10);
    node->FComputeIdLo = 0x80000000u + 0x1000 * number;
    node->Capability.ui32.DoorbellType = 2;
    node->Capability.ui32.SRAM_EDCSupport = gpu->sramecc;
    node->Capability.ui32.WatchPointsSupported = 1;
    node->Capability.ui32.WatchPointsTotalBits = 2;
    node->EngineId.ui32.uCode = 400;
    node->EngineId.ui32.Major = gpu->major & 0x3f;
    node->EngineId.ui32.Minor = gpu->minor & 0xff;
    node->EngineId.ui32.Stepping = gpu->stepping & 0xff;
    node->uCodeEngineVersions.uCodeSDMA = 100;
    node->VendorId = 0x1002;
    node->DeviceId = (HSAuint16)(0x7000 + number);
    node->LocationId = number << 8;
    node->DrmRenderMinor = (HSAint32)(RENDER_MINOR + number);
    node->UniqueID = 0x5700000000000000 + number;
    put_wide(node->MarketingName, "invented GPU");
    strcpy((char *)node->AMDName, gpu->name);
}

HSAKMT_STATUS hsaKmtGetNodeProperties(HSAuint32 number, HsaNodeProperties *node)
{
    if (number > gpu_count)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    memset(node, 0, sizeof(*node));
    if (number == 0)
        put_cpu(node);
    else
        put_gpu(node, &gpus[number - 1], number);
    return OK;
}

static void put_bank(HsaMemoryProperties *bank, HSA_HEAPTYPE type, HSAuint64 size,
                     HSAuint64 address)
{
    bank->HeapType = type;
    bank->SizeInBytes = size;
    bank->VirtualBaseAddress = address;
    bank->Width = 64;
    bank->MemoryClockMax = 1000;
}

HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(HSAuint32 number, HSAuint32 count,
                                            HsaMemoryProperties *banks)
{
    static _Alignas(PAGE) char registers[PAGE];

    memset(banks, 0, count * sizeof(*banks));
    if (number == 0 && count >= 1)
        put_bank(&banks[0], HSA_HEAPTYPE_SYSTEM, 8 * GIB, 0);
    if (number == 0 || count < 4)
        return OK;
    put_bank(&banks[0], HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC, 8 * GIB, 0);
    put_bank(&banks[1], HSA_HEAPTYPE_GPU_LDS, 64 << 10, (HSAuint64)1 << 48);
    put_bank(&banks[2], HSA_HEAPTYPE_GPU_SCRATCH, 4 * GIB, (HSAuint64)2 << 48);
    put_bank(&banks[3], HSA_HEAPTYPE_MMIO_REMAP, PAGE, (HSAuint64)(uintptr_t)registers);
    return OK;
}

HSAKMT_STATUS hsaKmtGetNodeCacheProperties(HSAuint32 number UNUSED, HSAuint32 processor,
                                           HSAuint32 count, HsaCacheProperties *caches)
{
    memset(caches, 0, count * sizeof(*caches));
    for (HSAuint32 i = 0; i < count; i++) {
        caches[i].ProcessorIdLow = processor;
        caches[i].CacheLevel = i + 1;
        caches[i].CacheSize = i ? PAGE : 16;
        caches[i].CacheLineSize = 64;
        caches[i].CacheType.ui32.Data = 1;
        caches[i].CacheType.ui32.HSACU = processor >> 31;
        caches[i].CacheType.ui32.CPU = !(processor >> 31);
    }
    return OK;
}

HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(HSAuint32 number, HSAuint32 count,
                                            HsaIoLinkProperties *links)
{
    memset(links, 0, count * sizeof(*links));
    for (HSAuint32 i = 0; i < count; i++) {
        links[i].IoLinkType = HSA_IOLINKTYPE_PCIEXPRESS;
        links[i].NodeFrom = number;
        links[i].NodeTo = number ? 0 : i + 1;
        links[i].Weight = 20;
        links[i].MaximumBandwidth = links[i].MinimumBandwidth = 16000;
    }
    return OK;
}

HSAKMT_STATUS hsaKmtGetTileConfig(HSAuint32 number UNUSED, HsaGpuTileConfig *config)
{
    if (config->TileConfig)
        memset(config->TileConfig, 0, 4 * (size_t)config->NumTileConfigs);
    if (config->MacroTileConfig)
        memset(config->MacroTileConfig, 0, 4 * (size_t)config->NumMacroTileConfigs);
    config->GbAddrConfig = 0x22011003;
    config->NumBanks = config->NumRanks = 1;
    return OK;
}

HSAKMT_STATUS hsaKmtGetClockCounters(HSAuint32 number UNUSED, HsaClockCounters *clocks)
{
    struct timespec now;
    HSAuint64 ticks;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    ticks = (HSAuint64)now.tv_sec * 1000000000 + (HSAuint64)now.tv_nsec;
    clocks->SystemClockCounter = clocks->CPUClockCounter = ticks;
    clocks->GPUClockCounter = ticks / 10;
    clocks->SystemClockFrequencyHz = 1000000000;
    return OK;
}

HSAKMT_STATUS hsaKmtSetXNACKMode(HSAint32 enable)
{
    xnack = enable != 0;
    return OK;
}

HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32 *enable)
{
    *enable = xnack;
    return OK;
}

/* ---- memory ------------------------------------------------------------------- */

struct block {
    struct block *next;
    char *start;
    HSAuint64 size;
    HSAuint32 node;
    HsaMemFlags flags;
    bool registered; /* it is the caller's memory */
    void *user;
    HSAuint32 map_count, map[GPUS];
};

static struct block *blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

static struct block *block_at(const void *address)
{
    for (struct block *block = blocks; block; block = block->next)
        if ((uintptr_t)address - (uintptr_t)block->start < block->size)
            return block;
    return NULL;
}

static HSAKMT_STATUS block_add(struct block given)
{
    struct block *block = malloc(sizeof(*block));

    if (!block)
        return HSAKMT_STATUS_NO_MEMORY;
    *block = given;
    pthread_mutex_lock(&blocks_lock);
    block->next = blocks;
    blocks = block;
    pthread_mutex_unlock(&blocks_lock);
    return OK;
}

/* Takes the block out of the list; NULL if it is not in it. */
static struct block *block_take(const void *start, bool registered)
{
    struct block **place, *block;

    pthread_mutex_lock(&blocks_lock);
    for (place = &blocks; (block = *place); place = &block->next)
        if (block->start == start && block->registered == registered) {
            *place = block->next;
            break;
        }
    pthread_mutex_unlock(&blocks_lock);
    return block;
}

HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 node, HSAuint64 size, HsaMemFlags flags,
                                void **ret)
{
    HSAuint64 align = size >= 2 << 20 ? 2 << 20 : 64 << 10, skip;
    int access = PROT_READ | PROT_WRITE | (flags.ui32.ExecuteAccess ? PROT_EXEC : 0);
    char *start = mmap(NULL, size + align, access,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (start == MAP_FAILED)
        return HSAKMT_STATUS_NO_MEMORY;
    skip = -(uintptr_t)start & (align - 1);
    if (skip)
        munmap(start, skip);
    munmap(start + skip + size, align - skip);
    *ret = start + skip;
    return block_add(
        (struct block){ .start = *ret, .size = size, .node = node, .flags = flags });
}

HSAKMT_STATUS hsaKmtFreeMemory(void *start, HSAuint64 size UNUSED)
{
    struct block *block = block_take(start, false);

    if (!block)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    munmap(block->start, block->size);
    free(block);
    return OK;
}

HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void *start, HSAuint64 size,
                                            HsaMemFlags flags)
{
    return block_add((struct block){
        .start = start, .size = size, .flags = flags, .registered = true });
}

HSAKMT_STATUS hsaKmtDeregisterMemory(void *start)
{
    free(block_take(start, true));
    return OK;
}

static void set_map(void *address, HSAuint32 count, const HSAuint32 *nodes)
{
    struct block *block;

    pthread_mutex_lock(&blocks_lock);
    block = block_at(address);
    if (block) {
        block->map_count = count < GPUS ? count : GPUS;
        for (HSAuint32 i = 0; i < block->map_count; i++)
            block->map[i] = nodes[i];
    }
    pthread_mutex_unlock(&blocks_lock);
}

HSAKMT_STATUS hsaKmtMapMemoryToGPU(void *address, HSAuint64 size UNUSED, HSAuint64 *ret)
{
    struct block *block;
    HSAuint32 node;

    pthread_mutex_lock(&blocks_lock);
    block = block_at(address);
    node = block ? block->node : 0;
    pthread_mutex_unlock(&blocks_lock);
    if (node)
        set_map(address, 1, &node);
    if (ret)
        *ret = (HSAuint64)(uintptr_t)address;
    return OK;
}

HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void *address, HSAuint64 size UNUSED,
                                        HSAuint64 *ret, HsaMemMapFlags flags UNUSED,
                                        HSAuint64 count, HSAuint32 *nodes)
{
    set_map(address, (HSAuint32)count, nodes);
    if (ret)
        *ret = (HSAuint64)(uintptr_t)address;
    return OK;
}

HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void *address)
{
    set_map(address, 0, NULL);
    return OK;
}

HSAKMT_STATUS hsaKmtQueryPointerInfo(const void *address, HsaPointerInfo *ret)
{
    static _Thread_local HSAuint32 nodes[GPUS];
    struct block *block;

    *ret = (HsaPointerInfo){ 0 };
    pthread_mutex_lock(&blocks_lock);
    block = block_at(address);
    if (block) {
        ret->Type =
            block->registered ? HSA_POINTER_REGISTERED_USER : HSA_POINTER_ALLOCATED;
        ret->Node = block->node;
        ret->MemFlags = block->flags;
        ret->CPUAddress = block->start;
        ret->GPUAddress = (HSAuint64)(uintptr_t)block->start;
        ret->SizeInBytes = block->size;
        ret->UserData = block->user;
        memcpy(nodes, block->map, sizeof(nodes));
        ret->NMappedNodes = block->map_count;
        ret->MappedNodes = nodes;
    }
    pthread_mutex_unlock(&blocks_lock);
    return block ? OK : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS hsaKmtSetMemoryUserData(const void *address, void *user)
{
    struct block *block;

    pthread_mutex_lock(&blocks_lock);
    block = block_at(address);
    if (block)
        block->user = user;
    pthread_mutex_unlock(&blocks_lock);
    return OK;
}

/* ---- events ------------------------------------------------------------------- */

/* Never freed: somebody may still wait for one that was destroyed. */
struct event {
    HsaEvent event;
    struct event *next;
    bool set, manual;
};

static struct event *events;
static HSA_EVENTID event_count;
static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t events_changed = PTHREAD_COND_INITIALIZER;

HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor *descriptor, bool manual, bool set,
                                HsaEvent **ret)
{
    struct event *event = calloc(1, sizeof(*event));
    HsaEventData *data = &event->event.EventData;

    if (!event)
        return HSAKMT_STATUS_NO_MEMORY;
    pthread_mutex_lock(&events_lock);
    event->event.EventId = ++event_count;
    data->EventType = descriptor->EventType;
    data->EventData.SyncVar = descriptor->SyncVar;
    data->HWData1 = event->event.EventId;
    data->HWData2 = (HSAuint64)(uintptr_t)calloc(1, 64);
    data->HWData3 = event->event.EventId;
    event->manual = manual;
    event->set = set;
    event->next = events;
    events = event;
    pthread_mutex_unlock(&events_lock);
    *ret = &event->event;
    return OK;
}

HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent *given)
{
    struct event **place;

    pthread_mutex_lock(&events_lock);
    for (place = &events; *place; place = &(*place)->next)
        if (&(*place)->event == given) {
            *place = (*place)->next;
            break;
        }
    pthread_mutex_unlock(&events_lock);
    return OK;
}

HSAKMT_STATUS hsaKmtSetEvent(HsaEvent *given)
{
    pthread_mutex_lock(&events_lock);
    ((struct event *)given)->set = true;
    pthread_cond_broadcast(&events_changed);
    pthread_mutex_unlock(&events_lock);
    return OK;
}

static void set_event_number(HSA_EVENTID number)
{
    struct event *event;

    pthread_mutex_lock(&events_lock);
    for (event = events; event && event->event.EventId != number; event = event->next)
        ;
    pthread_mutex_unlock(&events_lock);
    if (event)
        hsaKmtSetEvent(&event->event);
}

static struct timespec after(HSAuint32 milliseconds)
{
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return end;
}

static bool is_over(HsaEvent *list[], HSAuint32 count, bool all)
{
    HSAuint32 set = 0;

    for (HSAuint32 i = 0; i < count; i++)
        set += ((struct event *)list[i])->set;
    return all ? set == count : set > 0;
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent *list[], HSAuint32 count, bool all,
                                         HSAuint32 milliseconds)
{
    struct timespec end = after(milliseconds);
    int status = 0;
    bool over;

    pthread_mutex_lock(&events_lock);
    while (!(over = is_over(list, count, all)) && milliseconds && status != ETIMEDOUT)
        status = milliseconds == HSA_EVENTTIMEOUT_INFINITE
                     ? pthread_cond_wait(&events_changed, &events_lock)
                     : pthread_cond_timedwait(&events_changed, &events_lock, &end);
    for (HSAuint32 i = 0; over && i < count; i++)
        if (!((struct event *)list[i])->manual)
            ((struct event *)list[i])->set = false;
    pthread_mutex_unlock(&events_lock);
    return over ? OK : HSAKMT_STATUS_WAIT_TIMEOUT;
}

HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *event, HSAuint32 milliseconds)
{
    return hsaKmtWaitOnMultipleEvents(&event, 1, true, milliseconds);
}

/* ---- queues ------------------------------------------------------------------- */

/* The first byte of a packet: hsa_packet_type_t. */
enum {
    PACKET_INVALID = 1,
    PACKET_BARRIER_AND = 3,
    PACKET_BARRIER_OR = 5,
    DEPENDENCIES = 5
};

struct queue {
    struct queue *next;
    HSA_QUEUEID number;
    char *ring;
    HSAuint64 packets;
    HsaQueueResource resource;
    HSAuint64 doorbell;
};

/* amd_signal_t, as far as a packet processor needs it. */
struct signal {
    int64_t kind;
    int64_t value;
    uint64_t mailbox;
    uint32_t event;
};

static struct queue *queues;
static HSA_QUEUEID queue_count;
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;

static struct signal *signal_at(const char *where)
{
    uint64_t handle;

    memcpy(&handle, where, sizeof(handle));
    return (struct signal *)(uintptr_t)handle;
}

static bool is_waiting(const char *packet, unsigned type)
{
    unsigned given = 0, open = 0;

    if (type != PACKET_BARRIER_AND && type != PACKET_BARRIER_OR)
        return false;
    for (unsigned i = 0; i < DEPENDENCIES; i++) {
        const struct signal *signal = signal_at(packet + 8 + 8 * i);

        given += signal != NULL;
        open += signal && __atomic_load_n(&signal->value, __ATOMIC_ACQUIRE) != 0;
    }
    return type == PACKET_BARRIER_AND ? open > 0 : given > 0 && open == given;
}

/* Completes the next packet if there is one, and nothing it waits for. */
static bool take_packet(struct queue *queue)
{
    const HsaQueueResource *resource = &queue->resource;
    HSAuint64 next = __atomic_load_n(resource->Queue_read_ptr_aql, __ATOMIC_ACQUIRE);
    char *packet = queue->ring + next % queue->packets * PACKET;
    unsigned type = __atomic_load_n((uint16_t *)packet, __ATOMIC_ACQUIRE) & 0xff;
    struct signal *done;

    if (type == PACKET_INVALID ||
        next >= __atomic_load_n(resource->Queue_write_ptr_aql, __ATOMIC_ACQUIRE) ||
        is_waiting(packet, type))
        return false;
    done = signal_at(packet + 56);
    __atomic_store_n((uint16_t *)packet, PACKET_INVALID, __ATOMIC_RELEASE);
    __atomic_store_n(resource->Queue_read_ptr_aql, next + 1, __ATOMIC_RELEASE);
    if (done) {
        __atomic_fetch_sub(&done->value, 1, __ATOMIC_SEQ_CST);
        if (done->event)
            set_event_number(done->event);
    }
    return true;
}

static void *drain(void *nothing)
{
    for (;;) {
        bool worked = false;

        pthread_mutex_lock(&queues_lock);
        for (struct queue *queue = queues; queue; queue = queue->next)
            while (take_packet(queue))
                worked = true;
        pthread_mutex_unlock(&queues_lock);
        if (!worked)
            usleep(50);
    }
    return nothing;
}

HSAKMT_STATUS hsaKmtCreateQueue(HSAuint32 node UNUSED, HSA_QUEUE_TYPE type,
                                HSAuint32 percentage UNUSED,
                                HSA_QUEUE_PRIORITY priority UNUSED, void *ring,
                                HSAuint64 size, HsaEvent *event UNUSED,
                                HsaQueueResource *resource)
{
    struct queue *queue = calloc(1, sizeof(*queue));
    static pthread_t thread;

    if (!queue)
        return HSAKMT_STATUS_NO_MEMORY;
    pthread_mutex_lock(&queues_lock);
    queue->number = ++queue_count;
    queue->ring = ring;
    queue->packets = size / PACKET;
    resource->QueueId = queue->number;
    resource->Queue_DoorBell_aql = &queue->doorbell;
    queue->resource = *resource;
    if (type == HSA_QUEUE_COMPUTE_AQL) {
        queue->next = queues;
        queues = queue;
    }
    if (!thread && pthread_create(&thread, NULL, drain, NULL) == 0)
        pthread_detach(thread);
    pthread_mutex_unlock(&queues_lock);
    return OK;
}

HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID number)
{
    struct queue **place;

    pthread_mutex_lock(&queues_lock);
    for (place = &queues; *place; place = &(*place)->next)
        if ((*place)->number == number) {
            *place = (*place)->next;
            break;
        }
    pthread_mutex_unlock(&queues_lock);
    return OK;
}

/* ---- what needs no more than an answer ------------------------------------------ */

HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID queue UNUSED, HSAuint32 count UNUSED,
                                  HSAuint32 *first)
{
    if (first)
        *first = 0;
    return OK;
}

#define ANSWER(status, function, ...)                                                    \
    HSAKMT_STATUS function(__VA_ARGS__)                                                  \
    {                                                                                    \
        return status;                                                                   \
    }
#define FINE(function, ...) ANSWER(OK, function, __VA_ARGS__)
#define NONE(function, ...) ANSWER(HSAKMT_STATUS_NOT_SUPPORTED, function, __VA_ARGS__)

FINE(hsaKmtRuntimeEnable, void *debug UNUSED, bool setup UNUSED)
FINE(hsaKmtRuntimeDisable, void)
FINE(hsaKmtSetTrapHandler, HSAuint32 node UNUSED, void *code UNUSED,
     HSAuint64 code_size UNUSED, void *data UNUSED, HSAuint64 data_size UNUSED)
FINE(hsaKmtSetMemoryPolicy, HSAuint32 node UNUSED, HSAuint32 usual UNUSED,
     HSAuint32 alternate UNUSED, void *start UNUSED, HSAuint64 size UNUSED)
FINE(hsaKmtUpdateQueue, HSA_QUEUEID queue UNUSED, HSAuint32 percentage UNUSED,
     HSA_QUEUE_PRIORITY priority UNUSED, void *ring UNUSED, HSAuint64 size UNUSED,
     HsaEvent *event UNUSED)
FINE(hsaKmtSetQueueCUMask, HSA_QUEUEID queue UNUSED, HSAuint32 count UNUSED,
     HSAuint32 *mask UNUSED)
NONE(hsaKmtRegisterGraphicsHandleToNodes, HSAuint64 handle UNUSED,
     HsaGraphicsResourceInfo *info UNUSED, HSAuint64 count UNUSED,
     HSAuint32 *nodes UNUSED)
NONE(hsaKmtShareMemory, void *start UNUSED, HSAuint64 size UNUSED,
     HsaSharedMemoryHandle *handle UNUSED)
NONE(hsaKmtRegisterSharedHandle, const HsaSharedMemoryHandle *handle UNUSED,
     void **start UNUSED, HSAuint64 *size UNUSED)
NONE(hsaKmtRegisterSharedHandleToNodes, const HsaSharedMemoryHandle *handle UNUSED,
     void **start UNUSED, HSAuint64 *size UNUSED, HSAuint64 count UNUSED,
     HSAuint32 *nodes UNUSED)
NONE(hsaKmtSVMSetAttr, void *start UNUSED, HSAuint64 size UNUSED, unsigned count UNUSED,
     HSA_SVM_ATTRIBUTE *list UNUSED)
NONE(hsaKmtSVMGetAttr, void *start UNUSED, HSAuint64 size UNUSED, unsigned count UNUSED,
     HSA_SVM_ATTRIBUTE *list UNUSED)
