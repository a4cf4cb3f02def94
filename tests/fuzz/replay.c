/* Without libFuzzer: runs the target on every file of a folder. Usage: fuzz_FORMAT SEEDS */
#include "files/files.h"
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>

static kelvin_status replay(const char *folder, const char *name)
{
    kelvin_path path;
    char *bytes;
    size_t size;
    KELVIN_TRY(kelvin_path_join(path, folder, "%s", name));
    KELVIN_TRY(kelvin_file_read(&bytes, &size, path));
    LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
    kelvin_free(bytes);
    return KELVIN_OK;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) return fprintf(stderr, "usage: %s SEEDS\n", argv[0]), 2;
    int passed = 0, failed = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        if (replay(argv[1], entry->d_name))
            failed++, fprintf(stderr, "%s\n", kelvin_error());
        else
            passed++;
    }
    closedir(folder);
    printf("%d passed, %d failed\n", passed, failed);
    return passed == 0 || failed > 0;
}
