/* Stands in for libFuzzer: gives every file of the folders named to the fuzz target, so that the
 * kept corpus is a test in every build. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input gets an allocation of its own size, so that overruns are caught. */
static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return 1;
    long n = ftell(f);
    rewind(f);
    uint8_t *data = malloc(n > 0 ? (size_t)n : 1);
    size_t got = fread(data, 1, (size_t)n, f);
    fclose(f);
    LLVMFuzzerTestOneInput(data, got);
    free(data);
    return got != (size_t)n;
}

static int wanted(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **names;
        int n = scandir(argv[i], &names, wanted, alphasort);
        if (n <= 0)
            bad = 1;
        for (int k = 0; k < n; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], names[k]->d_name);
            int failed = replay(path);
            printf("%s %s\n", failed ? "not ok" : "ok", names[k]->d_name);
            bad |= failed;
            free(names[k]);
        }
        if (n >= 0)
            free(names);
    }
    return bad;
}
