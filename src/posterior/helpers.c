/* Questions to helpers, and their answers. */
#include "posterior/helpers.h"

#include "posterior/logits.h"
#include "ranks/ranks.h"
#include "run/room.h"

#include <string.h>

static bool hired; /* at rank 0 */

struct question {
    uint64_t n, samples; /* n 0: no more */
    uint32_t partly;     /* of a run that has not ended */
    char folder[KELVIN_PATH_MAX];
};

/* ---- at rank 0 ---- */

size_t kelvin_helpers_count(const kelvin_samples *samples)
{
    const size_t ranks = kelvin_rank_count(), most = KELVIN_MOST_HELPERS + 1;
    if (!hired || !samples->run->folder) return 1;
    return ranks < most ? ranks : most;
}

kelvin_status kelvin_helper_ask(size_t rank, const kelvin_samples *samples, const float *x, size_t n)
{
    const size_t bytes = n * samples->run->model->inputs * sizeof *x;
    struct question *question = kelvin_alloc(1, sizeof *question + bytes);
    if (!question) return KELVIN_ENOMEM;
    *question = (struct question){.n = n, .samples = samples->n, .partly = kelvin_run_inside(samples->run)->partly};
    memcpy(question->folder, samples->run->folder, strlen(samples->run->folder) + 1);
    memcpy(question + 1, x, bytes);
    const kelvin_status status = kelvin_post(rank, KELVIN_KIND_FARM, question, sizeof *question + bytes);
    kelvin_free(question);
    return status;
}

kelvin_status kelvin_helper_get(float *z, size_t rank, const kelvin_samples *samples, size_t n)
{
    const size_t bytes = samples->n * n * samples->run->model->classes * sizeof *z;
    size_t got;
    KELVIN_TRY(kelvin_receive(z, bytes, &got, (int)rank, KELVIN_KIND_CROP));
    return got == bytes ? KELVIN_OK : kelvin_fail(KELVIN_EIO, "rank %zu has other samples than rank 0", rank);
}

void kelvin_logits_apart(void)
{
    const struct question last = {.n = 0};
    for (size_t i = 1; i < kelvin_rank_count() && kelvin_rank() == 0; i++)
        if (kelvin_post(i, KELVIN_KIND_FARM, &last, sizeof last)) break; /* it will notice that rank 0 has left */
    hired = false;
}

/* ---- at others ---- */

struct helper {
    struct question question;
    kelvin_samples *samples;
    kelvin_logits *logits;
    size_t threads;
};

static void put_away(struct helper *h)
{
    kelvin_logits_close(h->logits);
    kelvin_samples_close(h->samples);
    h->logits = NULL;
    h->samples = NULL;
}

/* The samples of the run that is asked about, unless they are open. */
static kelvin_status open_run(struct helper *h, const struct question *question)
{
    if (h->samples && strcmp(question->folder, h->question.folder) == 0 && question->samples == h->samples->n)
        return KELVIN_OK;
    put_away(h);
    h->question = *question;
    KELVIN_TRY(question->partly ? kelvin_samples_open_partly(&h->samples, question->folder)
                                : kelvin_samples_open(&h->samples, question->folder));
    if (h->samples->n != question->samples)
        return kelvin_fail(KELVIN_EIO, "%s has %zu samples here, and %zu at rank 0", question->folder, h->samples->n,
                           (size_t)question->samples);
    return kelvin_logits_without_inputs(&h->logits, h->samples, h->threads);
}

static kelvin_status answer(struct helper *h, const struct question *question, size_t bytes)
{
    const float *z;
    KELVIN_TRY(open_run(h, question));
    const kelvin_model *model = h->samples->run->model;
    if (bytes != sizeof *question + question->n * model->inputs * sizeof *z)
        return kelvin_fail(KELVIN_EIO, "%s is another run here than at rank 0", question->folder);
    KELVIN_TRY(kelvin_logits_at_inputs(h->logits, &z, (const float *)(question + 1), question->n));
    return kelvin_post(0, KELVIN_KIND_CROP, z, h->samples->n * question->n * model->classes * sizeof *z);
}

static kelvin_status help(size_t threads)
{
    struct helper h = {.threads = threads};
    kelvin_status status = KELVIN_OK;
    for (bool more = true; more && !status;) {
        void *data;
        size_t bytes;
        KELVIN_TRY(kelvin_receive_new(&data, &bytes, 0, KELVIN_KIND_FARM));
        const struct question *question = data;
        more = bytes >= sizeof *question && question->n > 0;
        if (more) status = answer(&h, question, bytes);
        kelvin_free(data);
    }
    put_away(&h);
    return status;
}

kelvin_status kelvin_logits_together(size_t threads)
{
    if (kelvin_rank() > 0) return help(threads);
    hired = kelvin_rank_count() > 1;
    return KELVIN_OK;
}
