/* Records of CIFAR-10, and the names of its classes. */
#include "data/cifar.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void run_records(const uint8_t *bytes, size_t size)
{
    size_t n = 0;
    const kelvin_status status = kelvin_cifar_count(&n, size, "fuzz.bin");
    if (!status != (size > 0 && size % 3073 == 0) || n != size / 3073) abort();
    uint8_t *images = kelvin_alloc(n, CIFAR_PIXELS);
    int32_t *y = kelvin_alloc(n, sizeof *y);
    if (!images || !y) abort();
    const kelvin_status read = kelvin_cifar_records(images, y, bytes, n, 0, "fuzz.bin");
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        good = bytes[i * 3073] < 10;
        if (good && (y[i] != bytes[i * 3073] || memcmp(images + i * 3072, bytes + i * 3073 + 1, 3072) != 0)) abort();
    }
    if (good != !read) abort();
    kelvin_free(images);
    kelvin_free(y);
}

static void run_names(const uint8_t *bytes, size_t size)
{
    kelvin_data data = {0};
    struct data_loader loader = {.data = &data};
    if (kelvin_arena_create(&loader.arena)) abort();
    char *text = kelvin_alloc(size, 1);
    if (!text) abort();
    memcpy(text, bytes, size);
    const kelvin_status status = kelvin_cifar_names(&loader, &(struct data_file){"fuzz.txt", text, size});
    kelvin_free(text);
    if (!status != (data.class_names != NULL)) abort();
    for (size_t i = 0; !status && i < CIFAR_CLASSES; i++) {
        if (!*data.class_names[i]) abort();
        for (const char *c = data.class_names[i]; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127) abort();
    }
    kelvin_arena_destroy(loader.arena);
}

static void run(const uint8_t *bytes, size_t size)
{
    run_records(bytes, size);
    run_names(bytes, size);
}

/* The pixels once, or the names; an arena begins with 64 kB, and doubles. */
const struct fuzz_target fuzz_target = {run, 1 << 17, 3};
