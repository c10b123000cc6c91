/*
 * probe_hip - what does HIP do with an input?
 *
 * Reads questions whose inputs are files below the working directory:
 *   data, file    hipModuleLoadData(), hipModuleLoad(); detail is a list of kernels that
 *                 are then looked up
 *   static        detail is what a library registers before the first call of HIP:
 *                 words FILE:KERNEL, perhaps magic=N and version=N of the wrappers, and
 *                 launch=KERNEL if that is not the first one
 *   late          the same, registered when HIP is up
 * Where a host is "none", no device is set.
 */
#include "question.h"

#define __HIP_PLATFORM_AMD__ 1
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As compilers lay it out in .hipFatBinSegment. */
struct wrapper {
    uint32_t magic, version;
    const void *binary;
    void *reserved;
};

enum { WRAPPERS = 4, HIPF = 0x48495046 };

void **__hipRegisterFatBinary(const void *wrapper);
void __hipRegisterFunction(void **modules, const void *function, char *device_name,
                           const char *name, unsigned thread_limit, void *thread,
                           void *block, void *block_size, void *grid_size, int *warp);

static bool set_device(const struct question *question, struct board *board)
{
    hipError_t status;

    if (strncmp(question->host, "none", 4) == 0)
        return true;
    board_do(board, "set");
    status = hipSetDevice((int)board->agent);
    if (status != hipSuccess)
        board_done(board, "%u", status);
    return status == hipSuccess;
}

/* ---- modules ---------------------------------------------------------------------- */

static void find_kernels(const struct question *question, struct board *board,
                         hipModule_t module)
{
    char *names = strdup(question->detail), *rest = names;
    hipFunction_t function;

    for (char *name; (name = strsep(&rest, " "));) {
        board_do(board, name);
        board_done(board, "%u", hipModuleGetFunction(&function, module, name));
    }
    free(names);
}

static void load(const struct question *question, struct board *board, const void *bytes)
{
    hipModule_t module = NULL;
    hipError_t status;

    if (!set_device(question, board))
        return;
    board_do(board, "load");
    status = bytes ? hipModuleLoadData(&module, bytes)
                   : hipModuleLoad(&module, question->input);
    board_done(board, "%u", status);
    if (status == hipSuccess)
        find_kernels(question, board, module);
}

/* ---- libraries -------------------------------------------------------------------- */

/* Stands for the functions that a host compiler would make, each at an address. */
static char functions[WRAPPERS];

static void register_one(char *word, char *kernel, const struct wrapper *like,
                         size_t number)
{
    struct wrapper *wrapper = malloc(sizeof(*wrapper));
    size_t size;

    if (!wrapper)
        abort();
    *wrapper = *like;
    wrapper->binary = question_read(word, &size);
    __hipRegisterFunction(__hipRegisterFatBinary(wrapper), &functions[number], kernel,
                          kernel, UINT32_MAX, NULL, NULL, NULL, NULL, NULL);
}

/*
 * What a constructor of the library does. The words live on.
 *
 * @return the function that is to be launched
 */
static const void *register_all(const struct question *question)
{
    struct wrapper like = { .magic = HIPF, .version = 1 };
    char *words[WRAPPERS], *rest = strdup(question->detail), *kernel;
    const char *wanted = NULL;
    size_t count = 0, launched = 0;

    for (char *word; (word = strsep(&rest, " "));) {
        if (strncmp(word, "magic=", 6) == 0)
            like.magic = (uint32_t)strtoul(word + 6, NULL, 0);
        else if (strncmp(word, "version=", 8) == 0)
            like.version = (uint32_t)strtoul(word + 8, NULL, 0);
        else if (strncmp(word, "launch=", 7) == 0)
            wanted = word + 7;
        else if (count < WRAPPERS && strrchr(word, ':'))
            words[count++] = word;
    }
    for (size_t i = 0; i < count; i++) {
        kernel = strrchr(words[i], ':');
        *kernel++ = '\0';
        if (wanted && strcmp(kernel, wanted) == 0)
            launched = i;
        register_one(words[i], kernel, &like, i);
    }
    return &functions[launched];
}

static void launch(struct board *board, const void *function)
{
    float *left = NULL, *right = NULL;
    int count = 1;
    void *arguments[] = { &left, &right, &count };
    dim3 one = { 1, 1, 1 };
    hipFuncAttributes attributes;

    board_do(board, "attributes");
    board_done(board, "%u", hipFuncGetAttributes(&attributes, function));
    board_do(board, "launch");
    board_done(board, "%u", hipLaunchKernel(function, one, one, arguments, 0, NULL));
    board_do(board, "last");
    board_done(board, "%u", hipGetLastError());
    board_do(board, "again");
    board_done(board, "%u", hipLaunchKernel(function, one, one, arguments, 0, NULL));
}

/* One agent a process: what is aborted is the whole of it. */
static void run_library(const struct question *question, struct board *board)
{
    bool late = strcmp(question->mode, "late") == 0;
    const void *function;

    if (late && !set_device(question, board))
        return;
    board_do(board, "register");
    function = register_all(question);
    if (late || set_device(question, board))
        launch(board, function);
}

static void answer(const struct question *question, struct board *board)
{
    bool data = strcmp(question->mode, "data") == 0;
    void *bytes = NULL;
    size_t size;

    if (!data && strcmp(question->mode, "file") != 0) {
        run_library(question, board);
        return;
    }
    if (data && !(bytes = question_read(question->input, &size)))
        abort();
    for (; board->agent < question->agent_count; board->agent++)
        load(question, board, bytes);
}

/* HIP opens comgr itself, which takes most of the time of a child that does not have it.
 */
int main(void)
{
    if (!dlopen("libamd_comgr.so.2", RTLD_NOW | RTLD_GLOBAL))
        fprintf(stderr, "%s\n", dlerror());
    return question_answer_all(answer);
}
