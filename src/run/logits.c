/* The logits of all samples, in a clean pass over plain data: RUN/logits_train.npy and logits_test.npy, (samples, n,
 * classes), with labels_train.npy and labels_test.npy beside them, so that the folder can be judged without the data.
 * One sample's logits are in memory at a time. What the baselines say of the same data comes last. */
#include "run/baseline.h"
#include "run/job.h"

#include <unistd.h>

const int32_t kelvin_unlabelled[KELVIN_PASS];

kelvin_status kelvin_pass_create(kelvin_posterior **pass, const kelvin_run *run, size_t threads)
{
    const kelvin_posterior_options options = {.batch = KELVIN_PASS, .threads = threads, .total = KELVIN_PASS};
    return kelvin_posterior_make(pass, run->model, &kelvin_run_inside(run)->density, NULL, NULL, &options);
}

struct work {
    const kelvin_run *run;
    const kelvin_part *part;
    kelvin_posterior *pass;
    float *theta, *x, *logits;
};

static kelvin_status make_work(struct work *work, size_t threads)
{
    const kelvin_run *run = work->run;
    KELVIN_TRY(kelvin_pass_create(&work->pass, run, threads));
    work->theta = kelvin_alloc(run->model->n_params, sizeof *work->theta);
    work->x = kelvin_alloc(KELVIN_PASS * run->data->inputs, sizeof *work->x);
    work->logits = kelvin_alloc(work->part->n * run->data->classes, sizeof *work->logits);
    return work->theta && work->x && work->logits ? KELVIN_OK : KELVIN_ENOMEM;
}

static void free_work(struct work *work)
{
    kelvin_posterior_destroy(work->pass);
    kelvin_free(work->theta);
    kelvin_free(work->x);
    kelvin_free(work->logits);
}

/* Of the observations from `first` on as many as go at once; `n` of them. */
static kelvin_status predict_some(struct work *work, size_t *n, size_t first)
{
    const kelvin_part *part = work->part;
    *n = part->n - first < KELVIN_PASS ? part->n - first : KELVIN_PASS;
    kelvin_part_slice(work->run->data, part, work->x, first, *n);
    KELVIN_TRY(kelvin_posterior_set_batch(work->pass, work->x, kelvin_unlabelled, *n));
    kelvin_posterior_logits(work->pass, work->logits + first * work->run->data->classes, work->theta);
    return KELVIN_OK;
}

static kelvin_status predict(struct work *work, kelvin_samples *samples, size_t i)
{
    KELVIN_TRY(kelvin_samples_read(samples, work->theta, i));
    for (size_t first = 0, n; first < work->part->n; first += n) KELVIN_TRY(predict_some(work, &n, first));
    return KELVIN_OK;
}

kelvin_status kelvin_logits_rate(double *per_s, const kelvin_run *run, size_t threads)
{
    const double measured_seconds = 0.2;
    struct work work = {.run = run, .part = &run->data->train};
    kelvin_status status = make_work(&work, threads);
    if (!status) status = kelvin_start(work.theta, run, 0);
    double start = kelvin_now(), seconds = 0;
    size_t n = 0, times = 0;
    for (; !status && seconds < measured_seconds; times++) {
        status = predict_some(&work, &n, 0);
        if (times == 0) start = kelvin_now(); /* caches and pages were cold: it does not count */
        if (times > 0) seconds = kelvin_now() - start;
    }
    if (!status) *per_s = (double)(n * (times - 1)) / seconds;
    free_work(&work);
    return status;
}

/* ---- by several ranks ----
 * The leader writes what all of them compute: sample i is that of rank i modulo their number. It asks one sample ahead,
 * so that nobody waits for it to write. */

enum { MOST_HELPERS = 31 }; /* each has one sample's logits under way, or in the leader's memory */

struct question {
    int32_t part; /* of KELVIN_PARTS; -1: no more */
    uint64_t sample;
};

static size_t count_ranks(const struct kelvin_job *job)
{
    return job->team.size < MOST_HELPERS + 1 ? job->team.size : MOST_HELPERS + 1;
}

static size_t rank_of(const struct kelvin_job *job, size_t sample)
{
    return sample % count_ranks(job);
}

static int32_t part_number(const kelvin_run *run, const kelvin_part *part)
{
    return part == &run->data->test;
}

/* Asks for a sample, unless there is none, or it is the leader's own. */
static kelvin_status ask_for(const struct kelvin_job *job, const struct work *work, size_t sample, size_t n)
{
    const struct question question = {part_number(work->run, work->part), sample};
    const size_t rank = sample < n ? rank_of(job, sample) : 0;
    return rank > 0 ? kelvin_post(job->team.first + rank, KELVIN_KIND_FARM, &question, sizeof question) : KELVIN_OK;
}

/* The logits of a sample, by whomever. */
static kelvin_status get(const struct kelvin_job *job, struct work *work, kelvin_samples *samples, size_t i)
{
    const size_t rank = rank_of(job, i), bytes = work->part->n * work->run->data->classes * sizeof *work->logits;
    size_t got;
    if (rank == 0) return predict(work, samples, i);
    KELVIN_TRY(kelvin_receive(work->logits, bytes, &got, (int)(job->team.first + rank), KELVIN_KIND_CROP));
    KELVIN_TRY(ask_for(job, work, i + count_ranks(job), samples->n));
    return got == bytes ? KELVIN_OK : kelvin_fail(KELVIN_EIO, "rank %zu has other data", job->team.first + rank);
}

static kelvin_status answer(const struct kelvin_job *job, kelvin_samples *samples, const struct question *question)
{
    const kelvin_run *run = samples->run;
    struct work work = {.run = run, .part = question->part ? &run->data->test : &run->data->train};
    kelvin_status status = make_work(&work, job->options.threads);
    if (!status) status = predict(&work, samples, question->sample);
    if (!status)
        status = kelvin_post(job->team.first, KELVIN_KIND_CROP, work.logits,
                             work.part->n * run->data->classes * sizeof *work.logits);
    free_work(&work);
    return status;
}

kelvin_status kelvin_logits_help(struct kelvin_job *job, kelvin_run *run)
{
    kelvin_samples *samples = NULL;
    kelvin_status status = KELVIN_OK;
    for (;;) {
        struct question question = {.part = -1};
        status = kelvin_receive(&question, sizeof question, NULL, (int)job->team.first, KELVIN_KIND_FARM);
        if (status || question.part < 0) break;
        if (!samples) status = kelvin_samples_of(&samples, run);
        if (!status) status = answer(job, samples, &question);
        if (status) break;
    }
    kelvin_samples_close(samples);
    return status;
}

static kelvin_status ask_no_more(const struct kelvin_job *job)
{
    const struct question question = {.part = -1};
    for (size_t i = 1; i < job->team.size; i++)
        KELVIN_TRY(kelvin_post(job->team.first + i, KELVIN_KIND_FARM, &question, sizeof question));
    return KELVIN_OK;
}

/* ---- files ---- */

/* Of `all` passes of a sample over a part, `done` came before. */
static kelvin_status write_part(struct kelvin_job *job, kelvin_samples *samples, const kelvin_part *part,
                                const char *path, size_t done, size_t all)
{
    const kelvin_run *run = samples->run;
    const struct kelvin_array form = {
        .dtype = KELVIN_F32, .ndim = 3, .shape = {samples->n, part->n, run->data->classes}};
    struct work work = {.run = run, .part = part};
    struct kelvin_writer file = {.fd = -1};
    kelvin_status status = make_work(&work, job->options.threads);
    if (!status) status = kelvin_npy_begin(&file, path, &form);
    for (size_t i = 0; i < count_ranks(job) && !status; i++) status = ask_for(job, &work, i, samples->n);
    for (size_t i = 0; i < samples->n && !status; i++) {
        const kelvin_chain_news news = {.phase = KELVIN_CHAIN_LOGITS, .step = done + i, .steps = all};
        if (!kelvin_job_tell(job, run, &news)) status = kelvin_fail(KELVIN_ESTOP, "stopped on request");
        if (!status) status = get(job, &work, samples, i);
        if (!status) status = kelvin_writer_put(&file, work.logits, part->n * run->data->classes * sizeof *work.logits);
    }
    status = kelvin_writer_close(&file, status);
    free_work(&work);
    return status;
}

void kelvin_logits_files(struct kelvin_logits_file files[KELVIN_PARTS], const kelvin_data *data)
{
    files[0] = (struct kelvin_logits_file){"logits_train.npy", "labels_train.npy", &data->train};
    files[1] = (struct kelvin_logits_file){"logits_test.npy", "labels_test.npy", &data->test};
}

static kelvin_status write_parts(struct kelvin_job *job, kelvin_samples *samples)
{
    const kelvin_run *run = samples->run;
    struct kelvin_logits_file files[KELVIN_PARTS];
    const size_t all = (run->data->test.n > 0 ? KELVIN_PARTS : 1) * samples->n;
    kelvin_logits_files(files, run->data);
    for (size_t i = 0; i < KELVIN_PARTS; i++) {
        kelvin_path path;
        const kelvin_part *part = files[i].part;
        if (part->n == 0) continue;
        KELVIN_TRY(kelvin_path_join(path, run->folder, "%s", files[i].labels));
        if (access(path, F_OK) != 0) KELVIN_TRY(kelvin_labels_write(path, part->y, part->n));
        KELVIN_TRY(kelvin_path_join(path, run->folder, "%s", files[i].name));
        if (access(path, F_OK) != 0) KELVIN_TRY(write_part(job, samples, part, path, i * samples->n, all));
    }
    return KELVIN_OK;
}

static kelvin_status write_all(struct kelvin_job *job, kelvin_run *run)
{
    kelvin_samples *samples;
    const kelvin_status status = kelvin_samples_of(&samples, run);
    if (status == KELVIN_EDIVERGED) return KELVIN_OK; /* there are none to have logits of */
    if (status) return status;
    kelvin_status written = write_parts(job, samples);
    if (!written && !kelvin_run_is_old(run)) written = kelvin_baseline_write(run, job->options.threads);
    kelvin_samples_close(samples);
    return written;
}

kelvin_status kelvin_logits_write(struct kelvin_job *job, kelvin_run *run)
{
    const kelvin_status status = write_all(job, run), asked = ask_no_more(job);
    return status ? status : asked;
}
