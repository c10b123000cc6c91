/* peak COMMAND... - run it, and tell its exit status and peak memory in KiB on stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    pid_t child = argc > 1 ? fork() : -1;

    if (child < 0)
        return EXIT_FAILURE;
    if (child == 0) {
        execv(argv[1], argv + 1);
        _exit(127);
    }
    if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status))
        return EXIT_FAILURE;
    fprintf(stderr, "exit %d peak %ld\n", WEXITSTATUS(status), usage.ru_maxrss);
    return EXIT_SUCCESS;
}
