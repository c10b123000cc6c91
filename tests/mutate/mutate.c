/*
 * mutate.c - real files, changed a little, through the whole library.
 *
 * mutate COUNT SEED KEEP TARGET[=FILE]...
 *
 * COUNT changed versions of each FILE, which is TARGET itself if it is not told; FILE
 * is a part of the folder TARGET otherwise. It is changed where it is, and is as before
 * at the end. What comes depends on SEED alone. A version fails that crashes, takes more
 * than 10 s or 500 MB, breaks what tests/fuzz/whole.h requires, or, being cut only, is
 * said to be what the whole file is not. It is kept as KEEP/NAME-SEED-NUMBER. The last
 * line: RUNS runs, CUT of them cut, BAD bad.
 */
#include "../fuzz/whole.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define SECONDS  10
#define MEMORY   (500L << 10) /* KiB */
#define ROOM     ((size_t)64 << 10)
#define PLACES   256
#define PER_FORK 25
#define MAGIC    ((size_t)4)

struct bytes {
    uint8_t *data;
    size_t size, room;
};

struct input {
    const char *target, *file;
    struct bytes whole;
    size_t places[PLACES]; /* where something known starts */
    size_t place_count;
};

/* What a child is at, for the parent to see when it died. */
struct progress {
    unsigned long number;
    unsigned long cut;
};

/* What a report says that a cut must not better. */
struct answer {
    int exit;
    uint64_t bundles, incomplete;
};

/* splitmix64, by Sebastiano Vigna. */
static uint64_t state;

static uint64_t next_random(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(size_t limit)
{
    return limit > 0 ? (size_t)(next_random() % limit) : 0;
}

/* ---- files ------------------------------------------------------------------ */

static void die(const char *what)
{
    perror(what);
    exit(2);
}

static struct bytes read_whole(const char *path)
{
    struct bytes bytes = { 0 };
    struct stat info;
    int fd = open(path, O_RDONLY);

    if (fd < 0 || fstat(fd, &info) != 0)
        die(path);
    bytes.size = (size_t)info.st_size;
    bytes.room = bytes.size + ROOM;
    bytes.data = malloc(bytes.room);
    if (!bytes.data || pread(fd, bytes.data, bytes.size, 0) != (ssize_t)bytes.size)
        die(path);
    close(fd);
    return bytes;
}

static void write_whole(const char *path, const struct bytes *bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (fd < 0 || write(fd, bytes->data, bytes->size) != (ssize_t)bytes->size)
        die(path);
    close(fd);
}

/* ---- changes ---------------------------------------------------------------- */

static void find_places(struct input *input)
{
    static const char *const known[] = {
        "__CLANG_OFFLOAD_BUNDLE__",
        "CCOB",
        "\177ELF",
        "KPAK",
        "HIPF",
        "HIPK",
        "PK\3\4",
        "PK\1\2",
        "PK\5\6",
        "AMDGPU",
        "!<arch>",
        "`\n",
        "amdhsa",
        "\x10\xff\x10\xad",
        "\x28\xb5\x2f\xfd",
    };
    const struct bytes *whole = &input->whole;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const uint8_t *at = whole->data;
        size_t length = strlen(known[i]), left = whole->size;

        for (size_t n = 0; n < 16 && input->place_count < PLACES; n++) {
            at = memmem(at, left, known[i], length);
            if (!at)
                break;
            input->places[input->place_count++] = (size_t)(at - whole->data);
            at++;
            left = whole->size - (size_t)(at - whole->data);
        }
    }
}

/* Mostly near what is known, at the start or at the end: the rest is code and names. */
static size_t somewhere(const struct input *input, size_t size)
{
    size_t at;

    switch (below(4)) {
    case 0:
        at = below(size);
        break;
    case 1:
        at = below(256);
        break;
    case 2:
        at = size - 1 - below(size < 256 ? size : 256);
        break;
    default:
        at = input->place_count ? input->places[below(input->place_count)] : 0;
        at += below(128);
    }
    return at < size ? at : size - 1;
}

static void flip_bits(const struct input *input, struct bytes *bytes)
{
    for (size_t n = 1 + below(4); n > 0; n--)
        bytes->data[somewhere(input, bytes->size)] ^= (uint8_t)(1u << below(8));
}

/* A number of 1, 2, 4 or 8 bytes, either end first, that is apt to be at a limit. */
static void put_number(const struct input *input, struct bytes *bytes)
{
    const uint64_t numbers[] = {
        0,
        1,
        2,
        UINT64_MAX,
        INT64_MAX,
        (uint64_t)1 << 63,
        UINT32_MAX,
        INT32_MAX,
        (uint64_t)1 << 31,
        0xffff,
        0x7fff,
        0x80,
        0x7f,
        bytes->size,
        bytes->size - 1,
        bytes->size + 1,
        UINT64_MAX - bytes->size,
        (uint64_t)1 << 40,
        next_random(),
    };
    uint64_t number = numbers[below(sizeof(numbers) / sizeof(numbers[0]))];
    size_t width = (size_t)1 << below(4), at = somewhere(input, bytes->size);
    bool big = below(4) == 0;

    at -= at % width;
    for (size_t i = 0; i < width && at + i < bytes->size; i++)
        bytes->data[at + i] = (uint8_t)(number >> 8 * (big ? width - 1 - i : i));
}

/* A little more or less than what stands there. */
static void nudge(const struct input *input, struct bytes *bytes)
{
    size_t at = somewhere(input, bytes->size);

    bytes->data[at] = (uint8_t)(bytes->data[at] + 1 + below(16) - 8);
}

static void copy_over(const struct input *input, struct bytes *bytes)
{
    size_t from = somewhere(input, bytes->size), to = somewhere(input, bytes->size);
    size_t room = bytes->size - (from > to ? from : to);

    memmove(bytes->data + to, bytes->data + from, 1 + below(room < 512 ? room : 512));
}

static void insert_copy(const struct input *input, struct bytes *bytes)
{
    size_t from = somewhere(input, bytes->size), to = somewhere(input, bytes->size);
    size_t room = bytes->room - bytes->size, left = bytes->size - from;
    size_t size = 1 + below(left < 4096 ? left : 4096);
    uint8_t copy[4097];

    if (size > room)
        return;
    memcpy(copy, bytes->data + from, size);
    memmove(bytes->data + to + size, bytes->data + to, bytes->size - to);
    memcpy(bytes->data + to, copy, size);
    bytes->size += size;
}

static void take_out(const struct input *input, struct bytes *bytes)
{
    size_t at = somewhere(input, bytes->size), left = bytes->size - at;
    size_t size = 1 + below(left < 1024 ? left : 1024);

    if (size >= bytes->size || size > left)
        return;
    memmove(bytes->data + at, bytes->data + at + size, left - size);
    bytes->size -= size;
}

static void clear(const struct input *input, struct bytes *bytes)
{
    size_t at = somewhere(input, bytes->size), left = bytes->size - at;

    memset(bytes->data + at, below(2) ? 0xff : 0, 1 + below(left < 512 ? left : 512));
}

/* True if all that was done is to cut it. */
static bool change(const struct input *input, struct bytes *bytes)
{
    static void (*const changes[])(const struct input *, struct bytes *) = {
        flip_bits, put_number, put_number, nudge, copy_over, take_out, insert_copy, clear,
    };

    bytes->size = input->whole.size;
    memcpy(bytes->data, input->whole.data, bytes->size);
    if (below(5) == 0) {
        bytes->size = below(2) ? below(bytes->size) : somewhere(input, bytes->size);
        /* Of less than its magic nobody can say what it was. */
        bytes->size = bytes->size < MAGIC ? MAGIC : bytes->size;
        return true;
    }
    for (size_t n = 1 + below(3); n > 0; n--)
        changes[below(sizeof(changes) / sizeof(changes[0]))](input, bytes);
    return false;
}

/* ---- what is said of them --------------------------------------------------- */

static struct answer ask(const char *path)
{
    static const char *const gpus[] = { "gfx90a" };
    struct ra_options options = {
        .sz = sizeof(options),
        .paths = &path,
        .path_count = 1,
        .gpus = gpus,
        .gpu_count = 1,
        .threads = 1,
    };
    struct ra_report *report = ra_audit(&options);
    struct answer answer;

    whole_require(report != NULL);
    answer = (struct answer){
        .exit = report->exit,
        .bundles = report->totals.bundles,
        .incomplete = report->totals.incomplete,
    };
    ra_report_free(report);
    return answer;
}

/* A cut may show that something is missing, or go unnoticed where it took nothing. */
static void check_cut(const struct answer *whole, const struct answer *cut)
{
    if (cut->exit == 2)
        return;
    whole_require(cut->exit == whole->exit);
    whole_require(cut->exit != 0 || cut->bundles == whole->bundles);
    whole_require(cut->bundles == whole->bundles || cut->incomplete > whole->incomplete);
}

static void check(const struct input *input, const struct answer *whole,
                  struct bytes *bytes, struct progress *progress)
{
    bool cut = change(input, bytes);
    struct rusage usage;

    write_whole(input->file, bytes);
    alarm(SECONDS);
    whole_check(input->target);
    if (cut) {
        struct answer answer = ask(input->target);

        check_cut(whole, &answer);
        progress->cut++;
    }
    alarm(0);
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > MEMORY) {
        fprintf(stderr, "%ld KiB\n", usage.ru_maxrss);
        abort();
    }
}

/* Of one version: the same whatever other files and versions there are. */
static void set_seed(uint64_t seed, const char *name, unsigned long number)
{
    state = seed;
    for (; *name; name++)
        state = next_random() ^ (unsigned char)*name;
    state = next_random() ^ number;
}

/* In a child: the versions from `number` on. */
static void run_some(const struct input *input, const struct answer *whole, uint64_t seed,
                     unsigned long end, struct progress *progress)
{
    struct bytes bytes = { malloc(input->whole.room), 0, input->whole.room };

    for (; progress->number < end; progress->number++) {
        set_seed(seed, input->file, progress->number);
        check(input, whole, &bytes, progress);
    }
    free(bytes.data);
}

static void keep(const struct input *input, const char *folder, uint64_t seed,
                 unsigned long number, int status)
{
    const char *slash = strrchr(input->file, '/');
    const char *name = slash ? slash + 1 : input->file;
    struct bytes bytes = read_whole(input->file);
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s-%ju-%lu", folder, name, (uintmax_t)seed, number);
    write_whole(path, &bytes);
    free(bytes.data);
    printf("BAD %s, version %lu of seed %ju: %s %d, kept as %s\n", input->file, number,
           (uintmax_t)seed, WIFSIGNALED(status) ? "signal" : "exit status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), path);
    fflush(stdout);
}

/* The number of bad ones. */
static unsigned long run_input(const struct input *input, unsigned long count,
                               uint64_t seed, const char *folder,
                               struct progress *progress)
{
    const struct answer whole = ask(input->target);
    unsigned long bad = 0;

    progress->number = 0;
    while (progress->number < count) {
        unsigned long end = progress->number + PER_FORK;
        pid_t child = fork();
        int status;

        if (child < 0)
            die("fork");
        if (child == 0) {
            run_some(input, &whole, seed, end < count ? end : count, progress);
            exit(0);
        }
        if (waitpid(child, &status, 0) != child)
            die("waitpid");
        if (status != 0) {
            keep(input, folder, seed, progress->number++, status);
            bad++;
        }
    }
    write_whole(input->file, &input->whole);
    return bad;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 4 ? strtoul(argv[1], NULL, 10) : 0, bad = 0;
    struct progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (count == 0) {
        fputs("usage: mutate COUNT SEED KEEP TARGET[=FILE]...\n", stderr);
        return 2;
    }
    if (progress == MAP_FAILED)
        die("mmap");
    for (int i = 4; i < argc; i++) {
        struct input input = { .target = argv[i] };
        char *file = strchr(argv[i], '=');

        if (file)
            *file++ = '\0';
        input.file = file ? file : argv[i];
        input.whole = read_whole(input.file);
        find_places(&input);
        bad += run_input(&input, count, strtoull(argv[2], NULL, 10), argv[3], progress);
        free(input.whole.data);
    }
    printf("%lu runs, %lu of them cut, %lu bad\n", count * (unsigned long)(argc - 4),
           progress->cut, bad);
    return bad > 0;
}
