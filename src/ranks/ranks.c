/* Joining and leaving. Whether there are others is told by the environment alone, so that a plain start costs nothing;
 * then the module that knows MPI is opened, from beside the library. */
#define _GNU_SOURCE /* dladdr */

#include "base/words.h"
#include "ranks/desk.h"
#include "ranks/place.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct kelvin_team team; /* of size 0: all */

size_t kelvin_rank(void)
{
    return kelvin_desk_messenger() ? (size_t)kelvin_desk_messenger()->rank : 0;
}

size_t kelvin_rank_count(void)
{
    return kelvin_desk_messenger() ? (size_t)kelvin_desk_messenger()->size : 1;
}

struct kelvin_team kelvin_team_all(void)
{
    return (struct kelvin_team){0, kelvin_rank_count()};
}

struct kelvin_team kelvin_team_now(void)
{
    return team.size ? team : kelvin_team_all();
}

void kelvin_team_set(struct kelvin_team new)
{
    team = new;
}

bool kelvin_team_leads(const struct kelvin_team *t)
{
    return t->size < 2 || t->first == kelvin_rank();
}

/* ---- launchers ---- */

/* What launchers leave in the environment of each process: how many there are. Slurm leaves the size of a job for its
 * batch script, too, which is one process: only what srun starts has a number among the tasks of a step. */
static const struct {
    const char *size, *rank;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMI_SIZE", "PMI_RANK"},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

size_t kelvin_ranks_launched(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *size = getenv(launchers[i].size), *which = getenv(launchers[i].rank);
        const unsigned long n = size && which ? strtoul(size, NULL, 10) : 0;
        if (n > 0) return n;
    }
    return 1;
}

/* ---- the module ---- */

enum { PATH = 4096 };

/* Beside the library (or the program that it is in), as it is built; or where it is installed, seen from there, or by
 * its whole path. */
static void *open_module(char *why, size_t size)
{
    static const char *const places[] = {
        "%.*s/" KELVIN_MESSENGER_MODULE, "%.*s/../" KELVIN_MESSENGER_MODULE, "%.*s/kelvin/" KELVIN_MESSENGER_MODULE,
        "%.*s/../" KELVIN_LIBDIR "/kelvin/" KELVIN_MESSENGER_MODULE, KELVIN_MODULES "/" KELVIN_MESSENGER_MODULE};
    Dl_info about;
    char path[PATH], own[PATH];
    if (!dladdr((const void *)&launchers, &about) || !about.dli_fname) return NULL;
    const bool whole = strchr(about.dli_fname, '/'); /* or it was found by PATH */
    if (!realpath(whole ? about.dli_fname : "/proc/self/exe", own)) return NULL;
    const char *slash = strrchr(own, '/');
    snprintf(why, size, "there is no " KELVIN_MESSENGER_MODULE " beside %.500s", own);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(path, sizeof path, places[i], (int)(slash - own), own);
#pragma GCC diagnostic pop
        if (access(path, R_OK) != 0) continue;
        void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* Open MPI's own modules want its names */
        if (!module) snprintf(why, size, "MPI cannot be used here: %s", dlerror());
        return module;
    }
    return NULL;
}

static kelvin_status open_messenger(struct kelvin_messenger *messenger, size_t launched)
{
    char why[1024];
    kelvin_messenger_opener *open = NULL;
    void *module = open_module(why, sizeof why);
    if (module) {
        void *found = dlsym(module, KELVIN_MESSENGER_OPEN);
        memcpy(&open, &found, sizeof open);
        if (!open) snprintf(why, sizeof why, KELVIN_MESSENGER_MODULE " is of another version");
    }
    if (!open)
        return kelvin_fail(
            KELVIN_EUSAGE,
            "was started %zu times by a launcher such as mpirun, and %s: these processes cannot work "
            "together; start one, or build kelvin where MPI is installed, which makes that module (" KELVIN_REFER(
                INSTALL, "libopenmpi-dev") ")",
            launched, why);
    const char *failed = open(messenger);
    if (failed) return kelvin_fail(KELVIN_EIO, "%s", failed);
    if (messenger->version != KELVIN_MESSENGER)
        return kelvin_fail(KELVIN_EUSAGE, KELVIN_MESSENGER_MODULE " is of another version of kelvin");
    if ((size_t)messenger->size != launched)
        return kelvin_fail(KELVIN_EUSAGE,
                           "%zu processes were started, and this MPI knows of %d: kelvin was built with another MPI "
                           "than that of the launcher; srun is told by mpi=pmix which to offer",
                           launched, messenger->size);
    return KELVIN_OK;
}

/* ---- joining ---- */

struct hello {
    char version[24], host[64];
    int32_t isa;
};

/* All must draw the same bits: with and without FMA they are others. */
static kelvin_status check_hello(const struct hello *hello, const struct hello *own, size_t rank)
{
    char name[KELVIN_RANK_NAME];
    kelvin_desk_name(rank, hello->host);
    kelvin_rank_name(name, rank);
    if (strcmp(hello->version, own->version) != 0)
        return kelvin_fail(KELVIN_EUSAGE, "%s is kelvin %s, and rank 0 is %s: all must be of one version", name,
                           hello->version, own->version);
    if ((hello->isa == KELVIN_ISA_BASELINE) == (own->isa == KELVIN_ISA_BASELINE)) return KELVIN_OK;
    return kelvin_fail(
        KELVIN_EUSAGE,
        "%s computes with %s, and rank 0 with %s: without FMA, draws are other bits; use machines of one "
        "kind, or KELVIN_ISA=%s for all",
        name, kelvin_isa_name((kelvin_isa)hello->isa), kelvin_isa_name((kelvin_isa)own->isa),
        kelvin_isa_name(KELVIN_ISA_BASELINE));
}

/* Everybody says hello to rank 0, which answers when it has heard all of them. */
static kelvin_status greet(void)
{
    struct hello own = {.version = KELVIN_VERSION}, hello;
    kelvin_isa isa;
    const struct kelvin_team all = kelvin_team_all();
    kelvin_status status = KELVIN_OK;
    if (gethostname(own.host, sizeof own.host - 1)) snprintf(own.host, sizeof own.host, "somewhere");
    KELVIN_TRY(kelvin_isa_choose(&isa));
    own.isa = (int32_t)isa;
    if (kelvin_rank() > 0) KELVIN_TRY(kelvin_post(0, KELVIN_KIND_HELLO, &own, sizeof own));
    for (size_t i = 1; i < all.size && kelvin_rank() == 0 && !status; i++) {
        KELVIN_TRY(kelvin_receive(&hello, sizeof hello, NULL, (int)i, KELVIN_KIND_HELLO));
        status = check_hello(&hello, &own, i);
    }
    return kelvin_share_status(&all, status);
}

kelvin_status kelvin_ranks_join(void)
{
    struct kelvin_messenger messenger = {0};
    const size_t launched = kelvin_ranks_launched();
    if (launched < 2 || kelvin_desk_messenger()) return KELVIN_OK;
    KELVIN_TRY(open_messenger(&messenger, launched));
    KELVIN_TRY(kelvin_desk_open(&messenger));
    return greet();
}

/* ---- leaving ---- */

static void *end_at_last(void *code)
{
    const unsigned patience = 3;
    sleep(patience);
    _exit(*(int *)code);
}

/* Somebody is gone: the launcher is told, who ends what is left. It may not be able to hear that, either. Before, the
 * others have some seconds to write what they have: rank 0 hears from each that has, others leave it to rank 0. */
static void leave_alone(int code)
{
    static int kept;
    pthread_t thread;
    const double patience = 5, end = kelvin_now() + patience;
    if (kelvin_rank() > 0 && !kelvin_post(0, KELVIN_KIND_READY, NULL, 0)) kelvin_desk_await(KELVIN_KIND_BYE, patience);
    for (size_t i = 2; i < kelvin_rank_count() && kelvin_rank() == 0; i++)
        if (!kelvin_desk_await(KELVIN_KIND_READY, end - kelvin_now())) break;
    kept = code ? code : 1;
    fflush(NULL);
    if (pthread_create(&thread, NULL, end_at_last, &kept)) _exit(kept);
    kelvin_desk_messenger()->abort(kept);
    _exit(kept);
}

/* Whether all have come here: rank 0 hears of each of them, and tells all. */
static kelvin_status part(void)
{
    if (kelvin_rank() > 0) {
        KELVIN_TRY(kelvin_post(0, KELVIN_KIND_READY, NULL, 0));
        return kelvin_desk_receive(NULL, 0, NULL, 0, KELVIN_KIND_BYE, false);
    }
    for (size_t i = 1; i < kelvin_rank_count(); i++)
        KELVIN_TRY(kelvin_desk_receive(NULL, 0, NULL, (int)i, KELVIN_KIND_READY, false));
    for (size_t i = 1; i < kelvin_rank_count(); i++) KELVIN_TRY(kelvin_post(i, KELVIN_KIND_BYE, NULL, 0));
    return KELVIN_OK;
}

void kelvin_ranks_leave(kelvin_status status, int code)
{
    if (!kelvin_desk_messenger()) return;
    const struct kelvin_messenger messenger = *kelvin_desk_messenger();
    if (status && !kelvin_ranks_failed_elsewhere()) {
        char sentence[KELVIN_RAW];
        snprintf(sentence, sizeof sentence, "%s", kelvin_error_raw());
        for (size_t i = 0; i < kelvin_rank_count(); i++)
            if (i != kelvin_rank() && kelvin_post(i, KELVIN_KIND_FAILED, sentence, strlen(sentence))) break;
    }
    if (kelvin_desk_is_gone() || part()) leave_alone(code);
    kelvin_desk_close();
    messenger.finish();
}
