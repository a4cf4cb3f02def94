/* Tables as text, and the lock of a folder: what is wrong gets a sentence, and rows come back to the bit. */
#include "folder_helpers.h"

#include "run/room.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>

/* ---- tables ---- */

static const struct kelvin_column columns[] = {
    {"epoch", 0, UINT32_MAX, true, 0}, {"step_size", 0, 2.5, false, 0}, {"range", -INFINITY, INFINITY, false, 0}};

static const struct {
    const char *text, *sentence;
} tables[] = {
    {"epoch,step_size,range\n0,1e-3,nan\n1,2.5,-inf\n", NULL},
    {"", "line 1: column 1 is \"\", expected epoch"},
    {"epoch,step,range\n0,1,1\n1,1,1\n",
     "line 1: column 2 is \"step\", expected step_size, or another that is known, once"},
    {"epoch,step_size,range,x\n0,1,1,1\n", "line 1: column 4 is \"x\", expected epoch, or another that is known, once"},
    {"epoch,range,range\n0,1,1\n1,1,1\n",
     "line 1: column 3 is \"range\", expected range, or another that is known, once"},
    {"epoch,epoch\n0,0\n1,1\n", "line 1: column 2 is \"epoch\", expected step_size, or another"},
    {"step_size,epoch\n1,0\n1,1\n", "line 1: column 1 is \"step_size\", expected epoch"},
    {"epoch,step_size,range", "line 1: column 3 is \"range\", expected range"},
    {"epoch,\n0,1\n1,1\n", "line 1: column 2 is \"\", expected step_size"},
    {"epoch,step_size,range\n", "ends after 0 rows, expected 2"},
    {"epoch,step_size,range\n0,1,1\n", "ends after 1 rows, expected 2"},
    {"epoch,step_size,range\n0,1,1\n1,1,1\n2,1,1\n", "has more than 2 rows"},
    {"epoch,step_size,range\n0,1,1\n1,1", "line 3: step_size is \"1\", expected a number from 0 to 2.5"},
    {"epoch,step_size,range\n0,1,1\n1,1\n", "line 3: expected 3 values"},
    {"epoch,step_size,range\n0,1,1,1\n", "line 2: expected 3 values"},
    {"epoch,step_size,range\n0,1,1\n0,1,1\n", "line 3: epoch is 0, expected 1"},
    {"epoch,step_size,range\n0,1,1\n1.5,1,1\n",
     "line 3: epoch is \"1.5\", expected a whole number from 0 to 4294967295"},
    {"epoch,step_size,range\n0,2.6,1\n", "line 2: step_size is \"2.6\", expected a number from 0 to 2.5"},
    {"epoch,step_size,range\n0,nan,1\n", "line 2: step_size is \"nan\", expected a number from 0 to 2.5"},
    {"epoch,step_size,range\n0,1,big\n", "line 2: range is \"big\", expected a number"},
    {"epoch,step_size,range\r\n0,1,1\r\n", "line 1: column 3"},
};

static void table_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        double rows[2][3];
        size_t which[3], found;
        spill(in_base("table.csv"), tables[i].text, strlen(tables[i].text));
        const kelvin_status status = kelvin_table_read(rows[0], which, &found, in_base("table.csv"), columns, 3, 2);
        if (tables[i].sentence) fails(status, KELVIN_EFORMAT, "/table.csv", tables[i].sentence);
        if (tables[i].sentence) continue;
        assert_ok(status);
        assert_true(found == 3 && which[0] == 0 && which[1] == 1 && which[2] == 2);
        assert_true(rows[1][0] == 1 && rows[0][1] == 1e-3 && isnan(rows[0][2]) && rows[1][2] == -INFINITY);
    }
}

/* Earlier versions had fewer columns, and others of them first. */
static void tables_with_fewer_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t found, which[3];
        double rows[6]; /* (2, found) */
    } known[] = {
        {"epoch\n0\n1\n", 1, {0}, {0, 1}},
        {"epoch,range\n0,7\n1,-8\n", 2, {0, 2}, {0, 7, 1, -8}},
        {"epoch,range,step_size\n0,7,1\n1,-8,2.5\n", 3, {0, 2, 1}, {0, 7, 1, 1, -8, 2.5}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double rows[6];
        size_t which[3], found, n;
        const size_t k = known[i].found;
        spill(in_base("table.csv"), known[i].text, strlen(known[i].text));
        assert_ok(kelvin_table_rows(&n, in_base("table.csv")));
        assert_int_equal(n, 2);
        assert_ok(kelvin_table_read(rows, which, &found, in_base("table.csv"), columns, 3, n));
        assert_int_equal(found, k);
        assert_memory_equal(which, known[i].which, k * sizeof *which);
        assert_memory_equal(rows, known[i].rows, 2 * k * sizeof *rows);
    }
    double rows[6];
    size_t which[3], found;
    const char *const text = "epoch,range,step_size\n0,7,1\n1,7,2.6\n"; /* ranges go with the names */
    spill(in_base("table.csv"), text, strlen(text));
    fails(kelvin_table_read(rows, which, &found, in_base("table.csv"), columns, 3, 2), KELVIN_EFORMAT, "/table.csv",
          "line 3: step_size is \"2.6\", expected a number from 0 to 2.5");
}

/* Rows behind those that are there, whatever came after them. */
static void tables_grow(void **state)
{
    (void)state;
    const double rows[4][3] = {{0, 1, 2}, {1, 0.5, NAN}, {2, 2.5, -1}, {3, 0, 1.0 / 3}};
    uint64_t at = 0, two;
    remove(in_base("grown.csv"));
    assert_ok(kelvin_table_put(in_base("grown.csv"), &at, columns, 3, rows[0], 2));
    two = at;
    assert_ok(kelvin_table_put(in_base("grown.csv"), &at, columns, 3, rows[1], 1)); /* to be written over, and longer */
    assert_ok(kelvin_table_put(in_base("grown.csv"), &at, columns, 3, rows[1], 1));
    at = two;
    assert_ok(kelvin_table_put(in_base("grown.csv"), &at, columns, 3, rows[2], 2));
    assert_ok(new_table(in_base("whole.csv"), columns, 3, rows[0], 4));
    same_bytes(in_base("grown.csv"), in_base("whole.csv"));
    assert_ok(kelvin_table_put(in_base("grown.csv"), &at, columns, 3, NULL, 0));
    same_bytes(in_base("grown.csv"), in_base("whole.csv"));
    at = 0; /* anew */
    assert_ok(kelvin_table_put(in_base("grown.csv"), &at, columns, 3, NULL, 0));
    size_t n;
    assert_ok(kelvin_table_rows(&n, in_base("grown.csv")));
    assert_int_equal(n, 0);
    assert_int_equal(at, strlen("epoch,step_size,range\n"));
}

static void tables_come_back(void **state)
{
    (void)state;
    const double rows[4][3] = {
        {0, 0.1, NAN}, {1, 1.0 / 3, -INFINITY}, {2, 5e-324, -0.0}, {3, 2.5, 1.7976931348623157e308}};
    double back[4][3];
    size_t which[3], found;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is there, its comma must not get in */
    assert_ok(new_table(in_base("t.csv"), columns, 3, rows[0], 4));
    assert_ok(kelvin_table_read(back[0], which, &found, in_base("t.csv"), columns, 3, 4));
    setlocale(LC_ALL, "C");
    back[0][2] = rows[0][2]; /* nan is nan, its bits are not kept */
    assert_memory_equal(back, rows, sizeof rows);
    size_t bytes;
    char *text = slurp(in_base("t.csv"), &bytes);
    assert_string_equal(text, "epoch,step_size,range\n0,0.1,nan\n1,0.3333333333333333,-inf\n2,5e-324,-0\n"
                              "3,2.5,1.7976931348623157e+308\n");
    kelvin_free(text);
    const struct kelvin_column short_ones[] = {{"i", 0, 9, true, 0}, {"x", 0, 1, false, 4}};
    assert_ok(new_table(in_base("t.csv"), short_ones, 2, (const double[]){0, 2.0 / 3}, 1));
    text = slurp(in_base("t.csv"), &bytes);
    assert_string_equal(text, "i,x\n0,0.6667\n");
    kelvin_free(text);
    assert_ok(new_table(in_base("t.csv"), columns, 3, NULL, 0));
    assert_ok(kelvin_table_read(NULL, which, &found, in_base("t.csv"), columns, 3, 0));
}

/* Much longer than what is in memory of it at a time. */
static void long_tables(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    double *rows = kelvin_alloc(2 * 3 * ROWS, sizeof *rows), *back = rows + 3 * ROWS;
    size_t which[3], found, n, bytes;
    for (size_t i = 0; i < ROWS; i++) {
        rows[3 * i] = (double)i;
        rows[3 * i + 1] = 2.5 * sin((double)i) * sin((double)i);
        rows[3 * i + 2] = exp(100 * cos((double)i));
    }
    assert_ok(new_table(in_base("long.csv"), columns, 3, rows, ROWS));
    assert_ok(kelvin_table_rows(&n, in_base("long.csv")));
    assert_int_equal(n, ROWS);
    assert_ok(kelvin_table_read(back, which, &found, in_base("long.csv"), columns, 3, ROWS));
    assert_memory_equal(back, rows, 3 * ROWS * sizeof *rows);
    fails(kelvin_table_read(back, which, &found, in_base("long.csv"), columns, 3, ROWS - 1), KELVIN_EFORMAT,
          "/long.csv", "has more than 19999 rows");
    char *text = slurp(in_base("long.csv"), &bytes);
    assert_true(bytes > 500000);
    for (size_t cut = bytes - 1; cut > bytes - 40; cut--) {
        spill(in_base("long.csv"), text, cut);
        assert_int_equal(kelvin_table_read(back, which, &found, in_base("long.csv"), columns, 3, ROWS), KELVIN_EFORMAT);
    }
    text[400000] = '\0';
    spill(in_base("long.csv"), text, bytes);
    fails(kelvin_table_read(back, which, &found, in_base("long.csv"), columns, 3, ROWS), KELVIN_EFORMAT, "/long.csv",
          "has bytes that are no text");
    memset(text + 300000, '1', 200000);
    spill(in_base("long.csv"), text, bytes);
    fails(kelvin_table_read(back, which, &found, in_base("long.csv"), columns, 3, ROWS), KELVIN_EFORMAT, "/long.csv",
          "has a line of more than 65536 bytes");
    kelvin_free(text);
    kelvin_free(rows);
}

/* ---- the lock ---- */

/* A process that takes the lock, says so through the pipe, and keeps it until it is killed. */
static pid_t holder(const char *folder)
{
    int ends[2];
    char said = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct kelvin_lock lock;
        said = kelvin_lock_take(&lock, folder) ? 'n' : 'y';
        if (write(ends[1], &said, 1) == 1) pause();
        _exit(0);
    }
    close(ends[1]);
    assert_true(read(ends[0], &said, 1) == 1 && said == 'y');
    close(ends[0]);
    return child;
}

static void one_at_a_time(void **state)
{
    (void)state;
    char sentence[256];
    struct kelvin_lock lock, other;
    const pid_t child = holder(base);
    snprintf(sentence, sizeof sentence, "%s: another process (pid %ld) is working here; wait for it, or stop it", base,
             (long)child);
    fails(kelvin_lock_take(&lock, base), KELVIN_EUSAGE, "", sentence);
    assert_string_equal(kelvin_error(), sentence);
    assert_int_equal(lock.fd, -1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_true(waitpid(child, NULL, 0) == child);

    assert_ok(kelvin_lock_take(&lock, base)); /* the system let go of it */
    assert_true(fcntl(lock.fd, F_GETFD) & FD_CLOEXEC);
    snprintf(sentence, sizeof sentence, "(pid %ld)", (long)getpid());
    fails(kelvin_lock_take(&other, base), KELVIN_EUSAGE, base, sentence);
    spill(in_base("lock"), "", 0); /* as before the number is written */
    fails(kelvin_lock_take(&other, base), KELVIN_EUSAGE, base, ": another process is working here");
    kelvin_lock_release(&lock);
    kelvin_lock_release(&lock);
    spill(in_base("lock"), "99999999999\n", 12);
    assert_ok(kelvin_lock_take(&other, base));
    size_t bytes;
    char *text = slurp(in_base("lock"), &bytes); /* the file stays */
    snprintf(sentence, sizeof sentence, "%ld\n", (long)getpid());
    assert_string_equal(text, sentence);
    kelvin_free(text);
    kelvin_lock_release(&other);
}

static void no_lock_to_be_had(void **state)
{
    (void)state;
    struct kelvin_lock lock;
    fails(kelvin_lock_take(&lock, in_base("nowhere")), KELVIN_EIO, "nowhere/lock", strerror(ENOENT));
    assert_int_equal(mkdir(in_base("odd"), 0777), 0);
    assert_int_equal(mkdir(in_base("odd/lock"), 0777), 0);
    fails(kelvin_lock_take(&lock, in_base("odd")), KELVIN_EIO, "odd/lock", "is a folder; expected a regular file");
    assert_int_equal(lock.fd, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_texts),       cmocka_unit_test(tables_with_fewer_columns),
        cmocka_unit_test(tables_come_back),  cmocka_unit_test(long_tables),
        cmocka_unit_test(tables_grow),       cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(no_lock_to_be_had),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
