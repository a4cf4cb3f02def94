/* A host program with global functions of its own, called like functions that libkelvin has or once had. It must link
 * with both libraries, and its own functions must be called by itself alone: test_install.sh. */
#include <kelvin/kelvin.h>

#include <stdio.h>

#define OWN(X) X(layer_add) X(csv_row) X(data_split) X(spec_parse) X(gather) X(bisect)

/* For each: how often it was called, and the function. Visible to every library that would look for the name. */
#define DEFINE(name)                                                                                                   \
    static int name##_calls;                                                                                           \
    int name(int x);                                                                                                   \
    int name(int x)                                                                                                    \
    {                                                                                                                  \
        name##_calls++;                                                                                                \
        return x + 1;                                                                                                  \
    }
OWN(DEFINE)

/* A table is split and standardised, specifications are parsed, layers are added, batches gathered: all that the names
 * above once stood for. */
static kelvin_status fit(kelvin_data **data, kelvin_config **config, kelvin_run **run, kelvin_samples **samples)
{
    static const float x[] = {0.5f, 1, 1.5f, 2, 2.5f, 3, 3.5f, 4};
    static const int32_t labels[] = {0, 1, 0, 1, 0, 1, 0, 1};
    const kelvin_arrays arrays = {.rows = 8, .columns = 1, .x = x, .labels = labels, .split = 0.25};
    double p[2];
    KELVIN_TRY(kelvin_data_from_arrays(data, &arrays));
    KELVIN_TRY(kelvin_config_create(config));
    KELVIN_TRY(kelvin_config_set(*config, "preset", "paper"));
    KELVIN_TRY(kelvin_config_set(*config, "model", "mlp:3"));
    KELVIN_TRY(kelvin_config_set(*config, "epochs", "5"));
    KELVIN_TRY(kelvin_config_set(*config, "density", "dirclip:0.9,-50"));
    KELVIN_TRY(kelvin_run_start_with(run, *config, *data, NULL));
    KELVIN_TRY(kelvin_run_sample(run, 1, NULL, NULL, NULL));
    KELVIN_TRY(kelvin_samples_of(samples, *run));
    return kelvin_predict(*samples, p, x, 1, 0);
}

static kelvin_status use_kelvin(void)
{
    kelvin_data *data = NULL;
    kelvin_config *config = NULL;
    kelvin_run *run = NULL;
    kelvin_samples *samples = NULL;
    const kelvin_status status = fit(&data, &config, &run, &samples);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_config_destroy(config);
    kelvin_data_close(data);
    return status;
}

int main(void)
{
    int wrong = 0;
#define CALL(name) wrong += name(1) != 2;
    OWN(CALL)
    if (use_kelvin()) {
        fprintf(stderr, "%s\n", kelvin_error());
        return 1;
    }
#define COUNT(name)                                                                                                    \
    if (name##_calls != 1) wrong++, fprintf(stderr, "%s was called %d times\n", #name, name##_calls);
    OWN(COUNT)
    return wrong;
}
