/* Runs a fuzz target once over each file named, so that seeds are ordinary tests. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The buffer is just as large as the file, so that a read past its end is seen. */
static uint8_t *read_file(const char *path, size_t *size)
{
    struct stat info;
    uint8_t *data = NULL;
    FILE *file = fopen(path, "rb");

    if (!file)
        return NULL;
    if (fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode)) {
        *size = (size_t)info.st_size;
        data = malloc(*size > 0 ? *size : 1);
    }
    if (data && fread(data, 1, *size, file) != *size) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t size = 0;
        uint8_t *data = read_file(argv[i], &size);

        if (!data) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 1;
        }
        /* Told first: if the target dies, the last line says on what. */
        fprintf(stderr, "%s\n", argv[i]);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    return 0;
}
