/* Folders that were damaged or changed: a reader that believes its files only with the right checksums, and a clear
 * sentence for every way in which a file can be wrong, should its checksum be right all the same. */
#include "run_helpers.h"

#include "files/manifest.h"

#include <kelvin/posterior.h>

/* All that readers read. */
static kelvin_status read_all(const char *folder)
{
    kelvin_samples *samples = NULL;
    kelvin_logits *logits = NULL;
    kelvin_piece piece;
    float theta[492];
    kelvin_status status = kelvin_samples_open(&samples, folder);
    for (size_t i = 0; !status && i < samples->n; i++) status = kelvin_samples_read(samples, theta, i);
    for (uint32_t c = 0; !status && c < samples->run->config.chains; c++) {
        kelvin_history history;
        status = kelvin_history_read(&history, samples, c);
        kelvin_history_free(&history);
    }
    if (!status) status = kelvin_logits_saved(&logits, samples, KELVIN_TRAIN);
    while (!status && !(status = kelvin_logits_next(logits, &piece)) && piece.n > 0) continue;
    kelvin_logits_close(logits);
    kelvin_samples_close(samples);
    return status;
}

static kelvin_status resume(const char *folder)
{
    kelvin_run *run;
    KELVIN_TRY(kelvin_run_open(&run, folder));
    kelvin_status status = kelvin_run_sample(&run, 1, NULL, NULL, NULL);
    if (!status) status = kelvin_run_verify(run);
    kelvin_run_close(run);
    return status;
}

/* ---- checksums ---- */

/* Damage to every file of a run: by whom it is seen, and whether going on with the run makes it again. */
static const struct {
    const char *name;
    bool read, again;
    const char *help; /* that is in the sentence */
} files[] = {
    {"run.json", true, false, "; put it back, or start a new run with the configuration of "},
    {"data.json", true, true, " makes it again"},
    {"chain-000/state.safetensors", false, false, "/chain-000, and resuming "}, /* its header at most */
    {"chain-001/samples-000.safetensors", true, false, "/chain-001, and resuming "},
    {"chain-001/history.csv", true, true, " makes it again"},
    {"labels_train.npy", true, true, " makes it again"},
    {"logits_train.npy", true, true, " makes it again"},
    {"manifest", true, false, " makes it again"},
};
enum { FILES = sizeof files / sizeof *files };

static void spoil(const char *path, const char *data, size_t bytes, size_t how)
{
    char *bad = malloc(bytes + 1);
    assert_non_null(bad);
    memcpy(bad, data, bytes);
    bad[bytes] = 'x';
    if (how == 0) bad[bytes / 2] ^= 4;
    if (how == 1) bad[bytes - 1] ^= 1;
    if (how == 2) bad[0] ^= 1;
    spill(path, bad, how == 3 ? bytes - 1 : how == 4 ? bytes + 1 : bytes);
    free(bad);
}

static void every_file_is_looked_at(void **state)
{
    (void)state;
    enum { WAYS = 5 };
    const kelvin_sampler_type *type;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        const kelvin_run_config config = small_by(type->member.name);
        sample_into(&config, "whole", 1);
        sample_into(&config, "hurt", 1);
        for (size_t i = 0; i < FILES * WAYS; i++) {
            kelvin_path path;
            size_t bytes;
            const char *name = files[i / WAYS].name;
            assert_ok(kelvin_path_join(path, in_base("hurt"), "%s", name));
            char *data = slurp(path, &bytes);
            spoil(path, data, bytes, i % WAYS);
            kelvin_status status = read_all(in_base("hurt"));
            if (files[i / WAYS].read || status) fails(status, KELVIN_EFORMAT, name, files[i / WAYS].help);
            status = resume(in_base("hurt"));
            if (files[i / WAYS].again) {
                assert_ok(status);
                same_folders(in_base("hurt"), in_base("whole"));
            } else {
                fails(status, KELVIN_EFORMAT, name, files[i / WAYS].help);
            }
            spill(path, data, bytes);
            kelvin_free(data);
            assert_ok(read_all(in_base("hurt")));
        }
        remove_tree(in_base("hurt"));
        remove_tree(in_base("whole"));
    }
}

/* The same of files that are gone: what helps, and that it does. */
static void files_that_are_gone(void **state)
{
    (void)state;
    static const struct {
        const char *name, *read, *open; /* sentences; NULL: fine */
    } gone[] = {
        {"run.json", "has lost its run.json", "has lost its run.json"},
        {"data.json", NULL, NULL}, /* the data set is there */
        {"chain-000/state.safetensors", "", NULL},
        {"chain-001/samples-000.safetensors", "is missing; remove ",
         "is missing, and its chain is past it; put it back"},
        {"chain-001/history.csv", "is missing; resuming ", NULL},
        {"labels_train.npy", "has no labels_train.npy; resuming ", NULL},
        {"logits_train.npy", "has no logits_train.npy; resuming ", NULL},
        {"baseline.safetensors", NULL, NULL}, /* it is made again from the data set */
        {"manifest", "has no manifest, so nothing says that its files are whole; resuming ", NULL},
    };
    const kelvin_sampler_type *type;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        const kelvin_run_config config = small_by(type->member.name);
        sample_into(&config, "whole", 1);
        for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
            kelvin_path path;
            sample_into(&config, "lost", 1);
            assert_ok(kelvin_path_join(path, in_base("lost"), "%s", gone[i].name));
            assert_int_equal(unlink(path), 0);
            if (gone[i].read)
                fails(read_all(in_base("lost")), KELVIN_EFORMAT, "/lost", gone[i].read);
            else
                assert_ok(read_all(in_base("lost")));
            const kelvin_status status = resume(in_base("lost"));
            if (gone[i].open) {
                fails(status, KELVIN_EFORMAT, "/lost", gone[i].open);
            } else {
                assert_ok(status);
                assert_ok(read_all(in_base("lost")));
                same_folders(in_base("lost"), in_base("whole"));
            }
            remove_tree(in_base("lost"));
        }
        remove_tree(in_base("whole"));
    }
}

/* ---- what is in them ---- */

enum damage {
    REPLACE, /* the first `old` becomes `new` */
    CUT,     /* the last byte goes */
    APPEND,  /* `new` comes after the end */
    FLIP,    /* a bit of the last byte */
    POKE,    /* the byte at number `old` becomes large */
    SWAP,    /* the file becomes that of the other chain */
};

struct broken {
    const char *file;
    enum damage damage;
    const char *old, *new;
    kelvin_status status;
    const char *sentence;
};

#define CONFIG  "run.json"
#define SAMPLES "chain-000/samples-000.safetensors"
#define HISTORY "chain-001/history.csv"
#define LOGITS  "logits_train.npy"

static const struct broken broken[] = {
    {CONFIG, REPLACE, "\"chains\": 2,", "\"chains\": 2", KELVIN_EFORMAT, ", line 11"},
    {CONFIG, REPLACE, "7cc91241-", "7cc91241_", KELVIN_EFORMAT, "\"data_crc32\": expected two or four checksums"},
    {CONFIG, REPLACE, "7cc91241-", "7cc91240-", KELVIN_EFORMAT, "the data set toy has changed since (training inputs)"},
    {CONFIG, REPLACE, "\"toy\"", "\"csv:/nowhere.csv\"", KELVIN_EIO, "its data: /nowhere.csv: could not be read"},
    {CONFIG, REPLACE, "{", "[", KELVIN_EFORMAT, ", line 2"},
    {CONFIG, APPEND, "", "x", KELVIN_EFORMAT, ", line 21"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": \"two\"", KELVIN_EFORMAT, "\"chains\": expected a whole number"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": 2.0", KELVIN_EFORMAT, "\"chains\": expected a whole number"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": -2", KELVIN_EFORMAT, "\"chains\": expected a whole number"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": 4294967298", KELVIN_EFORMAT, "\"chains\": expected a whole number"},
    {CONFIG, REPLACE, "\"chains\": 2,", "", KELVIN_EFORMAT, "\"chains\" is missing"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": 2, \"chains\": 2", KELVIN_EFORMAT, "duplicate"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": 2, \"mass\": 1", KELVIN_EFORMAT, "\"mass\" is not known"},
    {CONFIG, REPLACE, "\"chains\": 2", "\"chains\": 0", KELVIN_EFORMAT, "chains is 0"},
    {CONFIG, REPLACE, "\"data\": \"toy\"", "\"data\": 7", KELVIN_EFORMAT, "\"data\": expected a string"},
    {CONFIG, REPLACE, "\"seed\": 2385", "\"seed\": -1", KELVIN_EFORMAT, "\"seed\": expected a whole number"},
    {CONFIG, REPLACE, "\"seed\": 2385", "\"seed\": \"-1\"", KELVIN_EFORMAT, "\"seed\": expected a whole number"},
    {CONFIG, REPLACE, "\"seed\": 2385", "\"seed\": \"18446744073709551616\"", KELVIN_EFORMAT, "\"seed\": expected"},
    {CONFIG, REPLACE, "\"seed\": 2385", "\"seed\": \"1x\"", KELVIN_EFORMAT, "\"seed\": expected a whole number"},
    {CONFIG, REPLACE, "0.0004", "\"small\"", KELVIN_EFORMAT, "\"step_size\": expected a number"},
    {CONFIG, REPLACE, ": 1.0", ": null", KELVIN_EFORMAT, "\"temperature\": expected a number"},
    {CONFIG, REPLACE, "\"warmup\": 2", "\"warmup\": 6", KELVIN_EFORMAT, "warmup is 6 of 6"},
    {CONFIG, REPLACE, "dirclip", "dirclap", KELVIN_EFORMAT, "dirclap"},
    {CONFIG, REPLACE, "\"hmc\"", "\"nuts\"", KELVIN_EFORMAT, "nuts"},
    {CONFIG, REPLACE, "\"steps\": 20", "\"steps\": -1", KELVIN_EFORMAT, "steps"},
    {CONFIG, REPLACE, "\"jitter\": 0.0", "\"jitter\": 1.5", KELVIN_EFORMAT,
     "jitter is 1.5; expected a number of at least 0 and at most 1"},
    {SAMPLES, CUT, "", "", KELVIN_EFORMAT, "holds 12287 bytes of data, expected 12288"},
    {SAMPLES, APPEND, "", "x", KELVIN_EFORMAT, "holds 12289 bytes of data, expected 12288"},
    {SAMPLES, FLIP, "", "", KELVIN_EFORMAT, "the file is damaged"},
    {SAMPLES, SWAP, "", "", KELVIN_EFORMAT, "\"chain\" is \"1\", expected 0"},
    {SAMPLES, REPLACE, "2385", "2384", KELVIN_EFORMAT, "\"seed\" is \"2384\", expected 2385"},
    {SAMPLES, REPLACE, "\"crc32\"", "\"crc31\"", KELVIN_EFORMAT, "no string \"crc32\""},
    {SAMPLES, REPLACE, "F32", "F16", KELVIN_EFORMAT, "\"dtype\": \"F16\""},
    {SAMPLES, REPLACE, "[6,10,2]", "[6,2,10]", KELVIN_EFORMAT,
     "tensor \"layers.0.weight\" has another shape than that of mlp:10,10,10,10,10, or other draws"},
    {SAMPLES, REPLACE, "[0,480]", "[0,484]", KELVIN_EFORMAT, "data_offsets as far apart as the shape says"},
    {SAMPLES, REPLACE, "[0,480]", "\"0 480\"", KELVIN_EFORMAT, "expected two data_offsets"},
    {SAMPLES, REPLACE, ".weight", ".height", KELVIN_EFORMAT, "is missing"},
    {SAMPLES, REPLACE, "{\"__met", "[\"__met", KELVIN_EFORMAT, "header, line 1"},
    {SAMPLES, REPLACE, "{\"__met", "\xff\xff\xff\x7f\xff\xff\xff", KELVIN_EFORMAT, "header, line"},
    {SAMPLES, POKE, "7", "", KELVIN_EFORMAT, "ends within its header"},
    {LOGITS, POKE, "9", "", KELVIN_EFORMAT, "ends within its header"},
    {LOGITS, CUT, "", "", KELVIN_EFORMAT, "holds 1151 bytes of data, expected 1152"},
    {LOGITS, APPEND, "", "x", KELVIN_EFORMAT, "holds 1153 bytes of data, expected 1152"},
    {LOGITS, REPLACE, "NUMPY", "NUMPI", KELVIN_EFORMAT, "is not an NPY file"},
    {LOGITS, REPLACE, "NUMPY\x01", "NUMPY\x04", KELVIN_EFORMAT, "of version 4.0; expected version 1.0"},
    {LOGITS, REPLACE, "<f4", "<f8", KELVIN_EFORMAT, "holds 1152 bytes of data, expected 2304"},
    {LOGITS, REPLACE, "<f4", "<i4", KELVIN_EFORMAT, "holds <i4; expected logits as <f4 in C order"},
    {LOGITS, REPLACE, "<f4", ">f4", KELVIN_EFORMAT, "holds >f4; expected logits as <f4 in C order"},
    {LOGITS, REPLACE, "False", "True ", KELVIN_EFORMAT,
     "holds <f4 in Fortran order; expected logits as <f4 in C order"},
    {LOGITS, REPLACE, "(8, 18, 2)", "(8,36)    ", KELVIN_EFORMAT, "shape is (8, 36); expected (samples, 18, 2)"},
    {LOGITS, REPLACE, "(8, 18, 2)", "(8, 2, 18)", KELVIN_EFORMAT, "shape is (8, 2, 18); expected (samples, 18, 2)"},
    {HISTORY, CUT, "", "", KELVIN_EFORMAT, "ends after 5 of 6 iterations"},
    {HISTORY, APPEND, "", "6,1,1,0,0,0,0,0,0,0\n", KELVIN_EFORMAT, "has 7 rows; expected at most 6"},
    {HISTORY, REPLACE, "log_posterior", "posterior", KELVIN_EFORMAT,
     "line 1: column 6 is \"posterior\", expected log_posterior"},
    {HISTORY, REPLACE, "\n2,", "\n3,", KELVIN_EFORMAT, "line 4: iteration is 3, expected 2"},
    {HISTORY, REPLACE, "\n2,", "\n2;", KELVIN_EFORMAT, "line 4: iteration is"},
    {HISTORY, REPLACE, "\n2,", "\n2,1,", KELVIN_EFORMAT, "line 4: "},
    {HISTORY, REPLACE, "\n2,", "\n2,2,", KELVIN_EFORMAT,
     "line 4: warmup is \"2\", expected a whole number from 0 to 1"},
    {HISTORY, REPLACE, "\n2,", "\n2,0.5,", KELVIN_EFORMAT, "line 4: warmup is \"0.5\""},
    {HISTORY, REPLACE, "\n2,", "\n2, 1,", KELVIN_EFORMAT, "line 4: warmup is \" 1\""},
    {HISTORY, REPLACE, "\n2,", "\n2,0,1,2,", KELVIN_EFORMAT,
     "line 4: training_accuracy is \"2\", expected a number from 0"},
    {HISTORY, REPLACE, "\n2,", "\n2,0,1,1,1,fast,", KELVIN_EFORMAT,
     "line 4: log_posterior is \"fast\", expected a number"},
    {HISTORY, REPLACE, "\n2,", "\n2,0,1,1,1,,", KELVIN_EFORMAT, "line 4: log_posterior is \"\""},
    {HISTORY, REPLACE, "\n2,", "\n2,0,1,1,1,-1,1,2,", KELVIN_EFORMAT, "line 4: accepted is \"2\""},
    {HISTORY, REPLACE, "\n2,", "\n2,0,1,1,1,-1,1,1,nan,", KELVIN_EFORMAT,
     "line 4: acceptance is \"nan\", expected a number from 0"},
    {HISTORY, REPLACE, "\n2,", "\n2,0,1,1,1,-1,1,1,1.5,", KELVIN_EFORMAT, "line 4: acceptance is \"1.5\""},
    {HISTORY, REPLACE, "\n2,", "\n2,0,1,1,1,-1,1,1,1,0,", KELVIN_EFORMAT, "line 4: expected 10 values"},
    {HISTORY, REPLACE, "\n2,0,", "\n2\n0,", KELVIN_EFORMAT, "has 7 rows; expected at most 6"},
};

/* The bytes of a file after the damage; *bytes in and out. */
static char *damaged(const struct broken *b, const char *data, size_t *bytes)
{
    const size_t old = strlen(b->old), new = strlen(b->new);
    char *out = malloc(*bytes + new + 1);
    assert_non_null(out);
    memcpy(out, data, *bytes);
    if (b->damage == CUT) --*bytes;
    if (b->damage == FLIP) out[*bytes - 1] ^= 0x10;
    if (b->damage == POKE) out[strtoul(b->old, NULL, 10)] = 0x7f;
    if (b->damage == APPEND) {
        memcpy(out + *bytes, b->new, new);
        *bytes += new;
    }
    if (b->damage == REPLACE) {
        size_t at = 0;
        while (at + old <= *bytes && memcmp(data + at, b->old, old) != 0) at++;
        if (at + old > *bytes) fail_msg("%s: \"%s\" is not there to be replaced", b->file, b->old);
        memcpy(out + at, b->new, new);
        memcpy(out + at + new, data + at + old, *bytes - at - old);
        *bytes += new - old;
        if (strcmp(b->file, SAMPLES) == 0) sign_header(out, *bytes);
    }
    return out;
}

/* A manifest of the files as they are: as if whoever changed them had signed that. */
static void sign_folder(const char *folder)
{
    static const char *const names[] = {"run.json",
                                        "data.json",
                                        "chain-000/state.safetensors",
                                        "chain-000/samples-000.safetensors",
                                        "chain-000/history.csv",
                                        "chain-001/state.safetensors",
                                        "chain-001/samples-000.safetensors",
                                        "chain-001/history.csv",
                                        "labels_train.npy",
                                        "logits_train.npy",
                                        "baseline.safetensors"};
    assert_ok(kelvin_manifest_write(folder, names, sizeof names / sizeof *names));
}

static void break_and_read(const struct broken *b)
{
    kelvin_path path;
    size_t bytes, changed;
    assert_ok(kelvin_path_join(path, in_base("one"), "%s", b->file));
    char *data = slurp(path, &bytes);
    changed = bytes;
    if (b->damage == SWAP) {
        char *other = slurp(in_base("one/chain-001/samples-000.safetensors"), &changed);
        spill(path, other, changed);
        kelvin_free(other);
    } else {
        char *bad = damaged(b, data, &changed);
        spill(path, bad, changed);
        free(bad);
    }
    sign_folder(in_base("one"));
    kelvin_status status = read_all(in_base("one"));
    if (!status) status = resume(in_base("one")); /* which looks at the data, too */
    fails(status, b->status, b->file, b->sentence);
    spill(path, data, bytes);
    sign_folder(in_base("one"));
    kelvin_free(data);
}

static void broken_folders(void **state)
{
    (void)state;
    const kelvin_run_config config = small();
    sample_into(&config, "one", 1);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) break_and_read(&broken[i]);
    assert_ok(read_all(in_base("one"))); /* all is as it was */
    sample_into(&config, "again", 1);
    same_folders(in_base("one"), in_base("again"));
    fails(read_all(in_base("nowhere")), KELVIN_EIO, "nowhere", "No such file");
}

/* Cut after every one of the first bytes: always a sentence, never a crash. */
static void cut_anywhere(void **state)
{
    (void)state;
    static const char *const names[] = {SAMPLES,           LOGITS, HISTORY, CONFIG, "chain-000/state.safetensors",
                                        "labels_train.npy"};
    for (size_t f = 0; f < 6; f++) {
        kelvin_path path;
        size_t bytes;
        assert_ok(kelvin_path_join(path, in_base("one"), "%s", names[f]));
        char *data = slurp(path, &bytes);
        for (size_t n = 0; n < bytes - 1; n += n < 200 ? 7 : 211) {
            spill(path, data, n);
            sign_folder(in_base("one"));
            fails(read_all(in_base("one")), KELVIN_EFORMAT, names[f], "");
        }
        spill(path, data, bytes);
        sign_folder(in_base("one"));
        kelvin_free(data);
    }
}

/* Promises of run.json that the folder cannot keep are found before memory is asked for. */
static void too_large_to_be_true(void **state)
{
    (void)state;
    static const char *const larger[][2] = {
        {"\"iterations\": 6", "\"iterations\": 4000000000"},
        {"\"iterations\": 6", "\"iterations\": 7"},
        {"\"iterations\": 6,\n  \"warmup\": 2", "\"iterations\": 4294967295,\n  \"warmup\": 4294967294"},
        {"\"chains\": 2", "\"chains\": 1"},
        {"\"seed\": 2385", "\"seed\": 2386"},
        {"\"steps\": 20", "\"steps\": 21"},
        {"\"steps\": 20", "\"steps\": 0"}, /* tuned */
    };
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) {
        kelvin_path path;
        size_t bytes;
        assert_ok(kelvin_path_join(path, in_base("one"), CONFIG));
        char *data = slurp(path, &bytes);
        edit(path, larger[i][0], larger[i][1]);
        sign_folder(in_base("one"));
        fails(read_all(in_base("one")), KELVIN_EFORMAT, "chain-000/state.safetensors",
              i == 4 ? "\"seed\" is \"2385\", expected 2386" : "is of another run, or run.json has changed since");
        kelvin_run *run;
        fails(kelvin_run_open(&run, in_base("one")), KELVIN_EFORMAT, "chain-000/state.safetensors", "");
        spill(path, data, bytes);
        sign_folder(in_base("one"));
        kelvin_free(data);
    }
    assert_ok(read_all(in_base("one")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_looked_at),
        cmocka_unit_test(files_that_are_gone),
        cmocka_unit_test(broken_folders), /* leaves the folder "one" for those below */
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(too_large_to_be_true),
    };
    return cmocka_run_group_tests(tests, make_quick_base, remove_base);
}
