/* The run folder. run.json comes last: a folder without it is a run that was not finished. */
#include "run/chain.h"

#include "run/description.h"
#include "files/record.h"
#include "run/remedy.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N_AXES = 3 };
#define TIMES  "times.json"
#define LOGITS "logits_train.npy"

/* times.json: what differs from machine to machine. */
struct times_record {
    double seconds, iterations_per_second;
    uint32_t threads;
    const char *cpu, *isa;
};

static const struct kelvin_field times_fields[] = {
    {"seconds", &kelvin_field_real, offsetof(struct times_record, seconds)},
    {"iterations_per_second", &kelvin_field_real, offsetof(struct times_record, iterations_per_second)},
    {"threads", &kelvin_field_count, offsetof(struct times_record, threads)},
    {"cpu", &kelvin_field_text, offsetof(struct times_record, cpu)},
    {"isa", &kelvin_field_text, offsetof(struct times_record, isa)},
};

enum { N_TIMES = sizeof times_fields / sizeof *times_fields };

/* ---- claiming ---- */

static kelvin_status cannot_make(const char *folder)
{
    return kelvin_fail(KELVIN_EUSAGE, "%s: the folder cannot be made: %s", folder, strerror(errno));
}

static kelvin_status try_to_write(const char *folder)
{
    kelvin_path probe;
    KELVIN_TRY(kelvin_path_join(probe, folder, ".probe"));
    const int fd = open(probe, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return kelvin_fail(KELVIN_EUSAGE, "%s: cannot be written to: %s", folder, strerror(errno));
    close(fd);
    unlink(probe);
    return KELVIN_OK;
}

kelvin_status kelvin_run_claim(const char *folder)
{
    kelvin_path parent;
    KELVIN_TRY(kelvin_path_join(parent, folder, ".."));
    if (mkdir(folder, 0777)) {
        if (errno != EEXIST) return cannot_make(folder);
        return kelvin_fail(KELVIN_EUSAGE, "%s already exists; choose another name or remove it", folder);
    }
    kelvin_status status = try_to_write(folder);
    if (!status) status = kelvin_folder_sync(parent);
    if (status) kelvin_run_abandon(folder);
    return status;
}

void kelvin_run_abandon(const char *folder)
{
    rmdir(folder); /* takes only an empty folder */
}

/* ---- writing ---- */

static kelvin_status make_folder(const char *folder)
{
    return mkdir(folder, 0777) && errno != EEXIST ? cannot_make(folder) : KELVIN_OK;
}

static kelvin_status check_writable(const kelvin_run *run, const char *folder)
{
    kelvin_path path;
    struct stat about;
    if (!kelvin_run_inside(run)->complete)
        return kelvin_fail(KELVIN_EUSAGE, "%s: the run has not been sampled to its end", folder);
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_CONFIG_NAME));
    if (stat(path, &about) == 0) return kelvin_fail(KELVIN_EUSAGE, "%s: already holds a run", folder);
    return make_folder(folder);
}

static struct kelvin_draws draws_of(const kelvin_run *run, uint32_t chain)
{
    return (struct kelvin_draws){
        .model = run->model, .iterations = run->config.iterations, .seed = run->config.seed, .chain = chain};
}

static void logits_shape(size_t shape[N_AXES], const kelvin_run *run)
{
    shape[0] = (size_t)run->config.chains * (run->config.iterations - run->config.warmup);
    shape[1] = run->data->train.n;
    shape[2] = run->data->classes;
}

static kelvin_status write_chain(const kelvin_run *run, const char *folder, uint32_t chain)
{
    const size_t first = (size_t)chain * run->config.iterations;
    const struct kelvin_draws about = draws_of(run, chain);
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, chain));
    KELVIN_TRY(make_folder(path));
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_DRAWS_FILE, chain));
    KELVIN_TRY(kelvin_safetensors_write(path, run->draws + first * run->model->n_params, &about));
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_HISTORY_FILE, chain));
    return kelvin_history_write(path, run->info + first, kelvin_run_inside(run)->accuracy + first,
                                run->config.iterations);
}

static kelvin_status write_records(const kelvin_run *run, const char *folder)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    const double iterations = (double)run->config.chains * run->config.iterations;
    const struct times_record times = {.seconds = run->seconds,
                                       .iterations_per_second = run->seconds > 0 ? iterations / run->seconds : 0,
                                       .threads = inside->threads,
                                       .cpu = inside->cpu,
                                       .isa = inside->isa};
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, folder, TIMES));
    KELVIN_TRY(kelvin_record_write(path, times_fields, N_TIMES, &times));
    KELVIN_TRY(kelvin_description_write(run->data, folder));
    return kelvin_config_write(run, folder);
}

static kelvin_status write_all(const kelvin_run *run, const char *folder)
{
    kelvin_path path;
    size_t shape[N_AXES];
    logits_shape(shape, run);
    for (uint32_t chain = 0; chain < run->config.chains; chain++) KELVIN_TRY(write_chain(run, folder, chain));
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_LABELS_TRAIN));
    KELVIN_TRY(kelvin_labels_write(path, run->data->train.y, run->data->train.n));
    KELVIN_TRY(kelvin_path_join(path, folder, LOGITS));
    KELVIN_TRY(kelvin_npy_write(path, run->logits, shape));
    return write_records(run, folder);
}

/* Takes back what write_all may have written; nobody could read it. */
static void remove_all(const kelvin_run *run, const char *folder)
{
    static const char *const whole[] = {KELVIN_CONFIG_NAME, TIMES, LOGITS, KELVIN_LABELS_TRAIN};
    kelvin_path path;
    kelvin_description_remove(folder);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (!kelvin_path_join(path, folder, "%s", whole[i])) unlink(path);
    for (uint32_t chain = 0; chain < run->config.chains; chain++) {
        if (!kelvin_path_join(path, folder, KELVIN_DRAWS_FILE, chain)) unlink(path);
        if (!kelvin_path_join(path, folder, KELVIN_HISTORY_FILE, chain)) unlink(path);
        if (!kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, chain)) rmdir(path);
    }
}

kelvin_status kelvin_run_write(const kelvin_run *run, const char *folder)
{
    KELVIN_TRY(check_writable(run, folder));
    const kelvin_status status = write_all(run, folder);
    if (status) remove_all(run, folder);
    return status;
}

/* ---- reading ---- */

static kelvin_status read_times(kelvin_run *run, const char *folder)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    struct times_record times;
    kelvin_path path;
    void *owner;
    KELVIN_TRY(kelvin_path_join(path, folder, TIMES));
    KELVIN_TRY(kelvin_record_read(&times, &owner, path, times_fields, N_TIMES));
    run->seconds = times.seconds;
    inside->threads = times.threads;
    snprintf(inside->cpu, sizeof inside->cpu, "%s", times.cpu);
    snprintf(inside->isa, sizeof inside->isa, "%s", times.isa);
    kelvin_record_free(owner);
    return KELVIN_OK;
}

static kelvin_status expect_floats(const char *path, size_t n)
{
    size_t bytes;
    KELVIN_TRY(kelvin_file_size(&bytes, path));
    if (bytes / sizeof(float) < n)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: has %zu bytes, too few for the %zu numbers that " KELVIN_CONFIG_NAME " promises", path,
                           bytes, n);
    return KELVIN_OK;
}

/* A damaged run.json must not make us ask for more memory than the folder holds: sizes of files come first. */
static kelvin_status check_sizes(const kelvin_run *run, const char *folder)
{
    kelvin_path path;
    size_t draws, logits;
    KELVIN_TRY(kelvin_run_sizes(&draws, &logits, run));
    KELVIN_TRY(kelvin_path_join(path, folder, LOGITS));
    KELVIN_TRY(expect_floats(path, logits * run->config.chains));
    for (uint32_t chain = 0; chain < run->config.chains; chain++) {
        KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_DRAWS_FILE, chain));
        KELVIN_TRY(expect_floats(path, draws));
    }
    return KELVIN_OK;
}

static kelvin_status read_chain(kelvin_run *run, const char *folder, uint32_t chain)
{
    const size_t first = (size_t)chain * run->config.iterations;
    const struct kelvin_draws about = draws_of(run, chain);
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_DRAWS_FILE, chain));
    KELVIN_TRY(kelvin_safetensors_read(run->draws + first * run->model->n_params, path, &about));
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_HISTORY_FILE, chain));
    return kelvin_history_read(run->info + first, kelvin_run_inside(run)->accuracy + first, path,
                               run->config.iterations);
}

static kelvin_status read_results(kelvin_run *run, const char *folder)
{
    kelvin_path path;
    size_t shape[N_AXES];
    logits_shape(shape, run);
    KELVIN_TRY(check_sizes(run, folder));
    KELVIN_TRY(kelvin_run_allocate(run));
    for (uint32_t chain = 0; chain < run->config.chains; chain++) KELVIN_TRY(read_chain(run, folder, chain));
    KELVIN_TRY(kelvin_path_join(path, folder, LOGITS));
    KELVIN_TRY(kelvin_npy_read(run->logits, path, shape));
    KELVIN_TRY(read_times(run, folder));
    kelvin_run_inside(run)->complete = true;
    return KELVIN_OK;
}

/* Its results stay in the folder. If run.json has changed, they are not what it says: one state is asked for all. */
static kelvin_status check_state(const kelvin_run *run, const char *folder)
{
    kelvin_path path;
    bool there;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_STATE_FILE, 0u));
    KELVIN_TRY(kelvin_is_there(&there, path));
    return there ? kelvin_state_check(path, run, 0) : KELVIN_OK;
}

static kelvin_status keep_if(kelvin_status status, kelvin_run **run)
{
    if (status) {
        kelvin_run_close(*run);
        *run = NULL;
    }
    return status;
}

kelvin_status kelvin_run_read(kelvin_run **run, const char *folder)
{
    KELVIN_TRY(kelvin_config_read(run, folder));
    return keep_if(kelvin_run_is_hmc(*run) ? read_results(*run, folder) : check_state(*run, folder), run);
}

kelvin_status kelvin_run_open(kelvin_run **run, const char *folder)
{
    KELVIN_TRY(kelvin_config_read_alone(run, folder));
    return keep_if(kelvin_run_is_hmc(*run) ? KELVIN_OK : check_state(*run, folder), run);
}
