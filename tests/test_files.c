/* Files while they are written: what stands in the way of a temporary file or a lock, and a file that becomes larger
 * than it may. */
#include "folder_helpers.h"

#include "run/room.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

static void holds(const char *path, const char *expected)
{
    size_t bytes;
    char *text = slurp(path, &bytes);
    assert_string_equal(text, expected);
    kelvin_free(text);
}

static kelvin_status write_text(const char *path, const char *text)
{
    struct kelvin_writer file;
    kelvin_status status = kelvin_writer_open(&file, path);
    if (!status) status = kelvin_writer_put(&file, text, strlen(text));
    return kelvin_writer_close(&file, status);
}

static bool is_file(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* ---- in the way ---- */

/* A file, a link to one, a link to nowhere, a pipe that nobody reads: each goes, and what links lead to stays. */
static void leftovers_go(void **state)
{
    (void)state;
    spill(in_base("victim"), "theirs", 6);
    for (int i = 0; i < 4; i++) {
        spill(in_base("kept"), "old", 3);
        if (i == 0) spill(in_base("kept.tmp"), "longer than what comes now", 26);
        if (i == 1) assert_int_equal(symlink(in_base("victim"), in_base("kept.tmp")), 0);
        if (i == 2) assert_int_equal(symlink(in_base("nowhere"), in_base("kept.tmp")), 0);
        if (i == 3) assert_int_equal(mkfifo(in_base("kept.tmp"), 0666), 0);
        assert_ok(write_text(in_base("kept"), "new"));
        assert_true(is_file(in_base("kept")));
        holds(in_base("kept"), "new");
        assert_false(exists(in_base("kept.tmp")) || exists(in_base("nowhere")));
    }
    holds(in_base("victim"), "theirs");
}

static void folders_stay(void **state)
{
    (void)state;
    spill(in_base("kept"), "old", 3);
    assert_int_equal(mkdir(in_base("kept.tmp"), 0777), 0);
    fails(write_text(in_base("kept"), "new"), KELVIN_EIO,
          "/kept: could not be written: ", "/kept.tmp is in the way: Is a directory");
    holds(in_base("kept"), "old");
    assert_int_equal(rmdir(in_base("kept.tmp")), 0);
    fails(write_text(in_base("no/where"), "new"), KELVIN_EIO, "no/where: could not be written", strerror(ENOENT));
}

/* Of two who write one file at a time, one gets it; never half of the other's. */
static void two_writers(void **state)
{
    (void)state;
    struct kelvin_writer first, second;
    assert_ok(kelvin_writer_open(&first, in_base("shared")));
    assert_ok(kelvin_writer_put(&first, "first", 5));
    assert_ok(kelvin_writer_open(&second, in_base("shared")));
    assert_ok(kelvin_writer_put(&second, "second", 6));
    fails(kelvin_writer_close(&first, KELVIN_OK), KELVIN_EIO, "/shared: could not be written", "another process's");
    assert_false(exists(in_base("shared")));
    assert_ok(kelvin_writer_close(&second, KELVIN_OK));
    holds(in_base("shared"), "second");
}

static void regular_files_only(void **state)
{
    (void)state;
    static const char *const kinds[] = {"is a link;", "is a link;", "is a pipe;", "is a folder;", "is a device"};
    const int flags = O_WRONLY | O_CREAT | O_APPEND;
    int fd;
    spill(in_base("victim"), "theirs", 6);
    for (int i = 0; i < 5; i++) {
        remove(in_base("added"));
        if (i == 0) assert_int_equal(symlink(in_base("victim"), in_base("added")), 0);
        if (i == 1) assert_int_equal(symlink(in_base("nowhere"), in_base("added")), 0);
        if (i == 2) assert_int_equal(mkfifo(in_base("added"), 0666), 0);
        if (i == 3) assert_int_equal(mkdir(in_base("added"), 0777), 0);
        const char *path = i == 4 ? "/dev/null" : in_base("added");
        fails(kelvin_open_regular(&fd, path, flags), KELVIN_EIO, path, kinds[i]);
        assert_int_equal(fd, -1);
    }
    assert_false(exists(in_base("nowhere")));
    holds(in_base("victim"), "theirs");
    for (int i = 0; i < 2; i++) { /* made, and added to */
        assert_ok(kelvin_open_regular(&fd, in_base("added"), flags));
        assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        assert_true(kelvin_write_all(fd, "row\n", 4));
        assert_int_equal(close(fd), 0);
    }
    holds(in_base("added"), "row\nrow\n");
    fails(kelvin_open_regular(&fd, in_base("no/where"), flags), KELVIN_EIO, "no/where", strerror(ENOENT));
}

/* No lock is taken by way of something else, nor what it leads to written to. */
static void odd_locks(void **state)
{
    (void)state;
    static const char *const kinds[] = {"is a link", "is a pipe"};
    struct kelvin_lock lock;
    spill(in_base("victim"), "theirs", 6);
    for (int i = 0; i < 2; i++) {
        remove(in_base("lock"));
        assert_int_equal(i ? mkfifo(in_base("lock"), 0666) : symlink(in_base("victim"), in_base("lock")), 0);
        fails(kelvin_lock_take(&lock, base), KELVIN_EIO, "/lock", kinds[i]);
        assert_int_equal(lock.fd, -1);
        assert_false(kelvin_lock_seize(&lock, base));
        assert_int_equal(lock.fd, -1);
    }
    holds(in_base("victim"), "theirs");
    remove(in_base("lock"));
    assert_ok(kelvin_lock_take(&lock, base));
    assert_true(kelvin_lock_holds(&lock, base));
    assert_int_equal(rename(in_base("lock"), in_base("moved")) | symlink(in_base("moved"), in_base("lock")), 0);
    assert_false(kelvin_lock_holds(&lock, base));
    kelvin_lock_release(&lock);
}

/* ---- too large ---- */

static void limit(rlim_t bytes)
{
    struct rlimit now;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
    now.rlim_cur = bytes < now.rlim_max ? bytes : now.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

static bool is_waiting(void)
{
    sigset_t set;
    assert_int_equal(sigpending(&set), 0);
    return sigismember(&set, SIGXFSZ);
}

/* By one of the three ways in which a writer makes a file longer, to 100000 bytes. */
static kelvin_status lengthen(int way)
{
    static const char bytes[100000];
    struct kelvin_writer file;
    kelvin_status status = kelvin_writer_open(&file, in_base("large"));
    if (!status && way == 0) status = kelvin_writer_put(&file, bytes, sizeof bytes);
    if (!status && way == 1) status = kelvin_writer_put_at(&file, bytes, 1000, sizeof bytes - 1000);
    if (!status && way == 2) status = kelvin_writer_reserve(&file, sizeof bytes);
    return kelvin_writer_close(&file, status);
}

/* SIGXFSZ would end this program. */
static void larger_than_it_may_be(void **state)
{
    (void)state;
    sigset_t before, after;
    spill(in_base("large"), "old", 3);
    assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &before), 0);
    for (int way = 0; way < 3; way++) {
        limit(20000);
        const kelvin_status status = lengthen(way);
        limit(RLIM_INFINITY);
        fails(status, KELVIN_EIO, "/large: could not be written", strerror(EFBIG));
        assert_false(is_waiting() || exists(in_base("large.tmp")));
        holds(in_base("large"), "old");
    }
    assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &after), 0);
    for (int i = 1; i < 32; i++) assert_int_equal(sigismember(&before, i), sigismember(&after, i));
    for (int way = 0; way < 3; way++) {
        size_t bytes;
        assert_ok(lengthen(way));
        assert_ok(kelvin_file_size(&bytes, in_base("large")));
        assert_int_equal(bytes, 100000);
    }
}

/* A signal that the program itself holds back stays its own. */
static void their_signal_stays(void **state)
{
    (void)state;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    assert_int_equal(sigprocmask(SIG_BLOCK, &set, NULL), 0);
    raise(SIGXFSZ);
    limit(20000);
    const kelvin_status status = lengthen(0);
    limit(RLIM_INFINITY);
    fails(status, KELVIN_EIO, "/large: could not be written", strerror(EFBIG));
    assert_true(is_waiting());
    assert_int_equal(sigtimedwait(&set, NULL, &(struct timespec){0, 0}), SIGXFSZ);
    assert_int_equal(sigprocmask(SIG_UNBLOCK, &set, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leftovers_go),       cmocka_unit_test(folders_stay), cmocka_unit_test(two_writers),
        cmocka_unit_test(regular_files_only), cmocka_unit_test(odd_locks),    cmocka_unit_test(larger_than_it_may_be),
        cmocka_unit_test(their_signal_stays),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
