/* base: what every room stands on: status and sentences, memory, numbers, this CPU.
 *
 *     kelvin_density *density;
 *     kelvin_status st = kelvin_density_create(&density, "dirclp:0.85,-50");
 *     if (st == KELVIN_ENOMEM) return 1;
 *     if (st) fprintf(stderr, "%s\n", kelvin_error());      // unknown density 'dirclp'; did you mean 'dirclip'?
 *     printf("libkelvin %s on %s\n", kelvin_version(), kelvin_cpu_name());
 *
 * The library never prints, exits or aborts: every function that can fail returns a status, and
 * kelvin_error() holds one sentence about the last failure in the calling thread.
 *
 * Any number of threads may call any function at once, each with objects of its own; data sets and models are read-only
 * and can be shared. A child after fork() can use the library whatever other threads did at that moment: to make
 * objects of its own, and with those that no thread was using. The environment is read (KELVIN_ISA, KELVIN_DATA, HOME):
 * whoever changes it must not do so meanwhile.
 */
#ifndef KELVIN_BASE_H
#define KELVIN_BASE_H

#include <kelvin/version.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What programs outside of the library may call: nothing else is visible in libkelvin.so. */
#define KELVIN_API __attribute__((visibility("default")))

/* Of the library that is linked, as "0.8.0"; KELVIN_VERSION is that of the headers. */
KELVIN_API const char *kelvin_version(void);

/* ---- status ---- */

typedef enum kelvin_status {
    KELVIN_OK = 0,
    KELVIN_EUSAGE,    /* the caller asked for something that makes no sense */
    KELVIN_ENOMEM,    /* memory could not be had */
    KELVIN_EIO,       /* the file system or another program said no */
    KELVIN_EFORMAT,   /* a file is not what it should be */
    KELVIN_ESTOP,     /* the caller's progress function asked to stop */
    KELVIN_EDIVERGED, /* every chain left for infinity: there is no result */
    KELVIN_EPARTLY,   /* a chain did: there is a result, of the others */
} kelvin_status;

#define KELVIN_MUST_CHECK        __attribute__((warn_unused_result))
#define KELVIN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Leaves early with the status of a call that failed. */
#define KELVIN_TRY(call)                                                                                               \
    do {                                                                                                               \
        const kelvin_status try_status = (call);                                                                       \
        if (try_status) return try_status;                                                                             \
    } while (0)

/* Stores the sentence for kelvin_error() in this thread and returns `status`. */
KELVIN_API kelvin_status kelvin_fail(kelvin_status status, const char *format, ...) KELVIN_PRINTF(2, 3);

/* The last failure of this thread as one sentence without a final newline; "" if there was none. In the library's own
 * words: "resuming RUN makes it again". */
KELVIN_API const char *kelvin_error(void);

/* ---- words ----
 * Some sentences refer to what each client calls something else: where a library says "make step_size smaller", a
 * command says "make --step-size smaller". A client that has words of its own gets sentences in them:
 *
 *     static void my_words(void *context, char *out, size_t size, kelvin_word word, const char *of)
 *     {
 *         if (word == KELVIN_WORD_RESUME) snprintf(out, size, "Run.resume('%s')", of);
 *     }
 *     kelvin_error_say(sentence, sizeof sentence, my_words, NULL); */

typedef enum kelvin_word {
    KELVIN_WORD_FIELD,       /* a field of a configuration: "step_size" */
    KELVIN_WORD_SETTING,     /* a field and its value: "density=dirclip:1,-50" */
    KELVIN_WORD_OPTION,      /* an option of the call that failed, by its name: "on", "temperatures" */
    KELVIN_WORD_PART,        /* looking at another part of the data, "train" */
    KELVIN_WORD_LIST,        /* what lists the members of a family, "data_sets" */
    KELVIN_WORD_SAMPLE,      /* what samples; of nothing */
    KELVIN_WORD_OUTPUT,      /* the folder of a run to come, "RUN" */
    KELVIN_WORD_CONFIG,      /* what takes the configuration of another run, "RUN" */
    KELVIN_WORD_REPEAT,      /* what samples anew by the configuration of a run, "RUN" */
    KELVIN_WORD_RESUME,      /* what goes on with the run in this folder, as a noun: "resuming RUN" */
    KELVIN_WORD_GO_ON,       /* the same as an advice: "go on by resuming RUN" */
    KELVIN_WORD_FETCH,       /* an advice to fetch a data set, "mnist" */
    KELVIN_WORD_FETCH_AGAIN, /* the same where it was fetched, but is not whole */
    KELVIN_WORD_INSTALL,     /* where a program or library is to be had: Debian's name of its package */
    KELVIN_WORD_CALL,        /* what was called, in "the same call"; of nothing */
    KELVIN_WORD_GIVE,        /* what goes on with a run and gives it its data, "RUN/run.json" */
} kelvin_word;

/* "FIELD"; NULL after the last. */
KELVIN_API const char *kelvin_word_name(size_t word);

/* Writes a client's words for one reference. What is left empty, as words that it does not know of, the library says in
 * its own. */
typedef void kelvin_words(void *context, char *out, size_t size, kelvin_word word, const char *of);

/* kelvin_error() in a client's words; NULL: in the library's own. */
KELVIN_API void kelvin_error_say(char *out, size_t size, kelvin_words *words, void *context);

/* For programs that act on a failure: the i-th reference of its sentence, as (RESUME, "RUN"); false after the last. And
 * the field of the configuration that is to blame, "" if none is. Texts stay until the next failure or such call. */
KELVIN_API bool kelvin_error_word(size_t i, kelvin_word *word, const char **of);
KELVIN_API const char *kelvin_error_field(void);

/* What goes into a network or comes out of one of its layers, as planes (channels, height, width). A row of a table is
 * (n, 1, 1). */
typedef struct kelvin_shape {
    size_t channels, height, width;
} kelvin_shape;

/* ---- memory ---- */

/* Zeroed memory for `count` elements, 64-byte aligned; NULL (and kelvin_error()) if it cannot be had.
 * Freed with kelvin_free; freeing NULL is fine. */
KELVIN_API void *kelvin_alloc(size_t count, size_t size);
KELVIN_API void kelvin_free(void *p);
KELVIN_API char *kelvin_strdup(const char *s);

/* Memory that is freed as a whole. Blocks are zeroed and 64-byte aligned. */
typedef struct kelvin_arena kelvin_arena;
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_arena_create(kelvin_arena **arena);
KELVIN_API void *kelvin_arena_alloc(kelvin_arena *arena, size_t count, size_t size);
/* A copy of `length` bytes and a 0 after them. */
KELVIN_API char *kelvin_arena_text(kelvin_arena *arena, const char *text, size_t length);
KELVIN_API size_t kelvin_arena_bytes(const kelvin_arena *arena);
KELVIN_API void kelvin_arena_destroy(kelvin_arena *arena);

/* A copy of a text as UTF-8: one that is not is taken for Latin-1, as names of files may be. Freed with kelvin_free;
 * NULL if memory is short. */
KELVIN_API char *kelvin_utf8(const char *text);

/* ---- numbers as people write them ----
 * The whole text must be one: a sign where none may be, a rest, a space or an overflow is KELVIN_EUSAGE, with a
 * sentence that calls the number `what`. */

/* "1000", "1e3" or "2.5e4", at most `most`. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_parse_whole(uint64_t *value, const char *what, const char *text,
                                                              uint64_t most);
/* Finite; with a decimal point, whatever the locale says. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_parse_real(double *value, const char *what, const char *text);

/* Seconds of a clock that never goes back. */
KELVIN_API double kelvin_now(void);

/* ---- this CPU ---- */

typedef enum kelvin_isa {
    KELVIN_ISA_BASELINE,  /* what the compiler may assume anyway; NEON (with FMA) on ARM, SSE2 on x86-64 */
    KELVIN_ISA_X86_64_V3, /* AVX2 and FMA */
    KELVIN_ISA_X86_64_V4, /* AVX-512 */
    KELVIN_ISA_COUNT,
} kelvin_isa;

KELVIN_API const char *kelvin_isa_name(kelvin_isa isa);
KELVIN_API bool kelvin_isa_supported(kelvin_isa isa);

/* The best one here, or the one that $KELVIN_ISA names. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_isa_choose(kelvin_isa *isa);

KELVIN_API size_t kelvin_cpu_count(void);
KELVIN_API const char *kelvin_cpu_name(void);

#ifdef __cplusplus
}
#endif
#endif
