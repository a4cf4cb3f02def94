/* Sentences with references: in the library's words, in a client's, in programs; what may not be taken for one. */
#include "check.h"

#include "base/threads.h"
#include "base/words.h"

#include <stdio.h>

/* Knows two words. */
static void some_words(void *context, char *out, size_t size, kelvin_word word, const char *of)
{
    if (word == KELVIN_WORD_FIELD) snprintf(out, size, "<%s>", of);
    if (word == KELVIN_WORD_RESUME) snprintf(out, size, "%s.resume(%s)", (const char *)context, of);
}

static const char *in_words(kelvin_words *words)
{
    static char said[KELVIN_RAW];
    char context[] = "Run";
    memset(said, 'x', sizeof said);
    kelvin_error_say(said, sizeof said, words, context);
    return said;
}

#define assert_fails(format, ...) assert_int_equal(kelvin_fail(KELVIN_EIO, format, __VA_ARGS__), KELVIN_EIO)

static void own_and_others(void **state)
{
    (void)state;
    assert_fails("make " KELVIN_FIELD " smaller (%d), or " KELVIN_REFER(RESUME, "%s") " ends here", "step_size", 7,
                 "a b");
    assert_string_equal(kelvin_error(), "make step_size smaller (7), or resuming a b ends here");
    assert_string_equal(in_words(some_words), "make <step_size> smaller (7), or Run.resume(a b) ends here");
    assert_string_equal(in_words(NULL), kelvin_error());
    assert_fails("%s: plain, 100 %%", "f");
    assert_string_equal(kelvin_error(), "f: plain, 100 %");
    assert_string_equal(in_words(some_words), kelvin_error());
    assert_fails(
        "use " KELVIN_REFER(SETTING, "%s=%s") ", " KELVIN_REFER(SETTING, "chains") ", the same " KELVIN_REFER(CALL, ""),
        "prior", "a=b");
    assert_string_equal(kelvin_error(), "use prior = a=b, chains, the same call");
    assert_string_equal(in_words(some_words), kelvin_error()); /* which knows none of them */
}

/* Every word has a name of its own, by which a format finds it, and words of the library that say what it is of. */
static void each_word(void **state)
{
    (void)state;
    size_t n = 0;
    for (; kelvin_word_name(n); n++) {
        char format[64], said[64];
        snprintf(format, sizeof format, "\x01%s\x02THIS\x03", kelvin_word_name(n));
        kelvin_word word;
        const char *of;
        assert_fails(KELVIN_SAID, format);
        assert_true(kelvin_error_word(0, &word, &of));
        assert_int_equal(word, n);
        assert_string_equal(of, "THIS");
        assert_false(kelvin_error_word(1, &word, &of));
        kelvin_word_say(said, sizeof said, word, "THIS", NULL, NULL);
        assert_string_equal(kelvin_error(), said);
        assert_true(strstr(said, "THIS") || word == KELVIN_WORD_SAMPLE || word == KELVIN_WORD_CALL);
    }
    assert_int_equal(n, KELVIN_WORD_GIVE + 1);
}

/* ---- sentences in sentences ---- */

static void nested(void **state)
{
    (void)state;
    kelvin_word word;
    const char *of;
    assert_fails("%s is damaged", "file");
    assert_fails(KELVIN_SAID "; " KELVIN_REFER(RESUME, "%s") " makes it again", kelvin_error_raw(), "RUN");
    assert_fails("%s: " KELVIN_SAID ", said " KELVIN_FIELD, "a", kelvin_error_raw(), "init");
    assert_string_equal(kelvin_error(), "a: file is damaged; resuming RUN makes it again, said init");
    assert_string_equal(in_words(some_words), "a: file is damaged; Run.resume(RUN) makes it again, said <init>");
    assert_true(kelvin_error_word(0, &word, &of));
    assert_int_equal(word, KELVIN_WORD_RESUME);
    assert_string_equal(of, "RUN");
    assert_true(kelvin_error_word(1, &word, &of));
    assert_int_equal(word, KELVIN_WORD_FIELD);
    assert_string_equal(of, "init");
    assert_false(kelvin_error_word(2, &word, &of));
    /* who quotes what people read has the words that they read, and no reference */
    assert_fails("b: %s", kelvin_error());
    assert_string_equal(in_words(some_words), "b: a: file is damaged; resuming RUN makes it again, said init");
    assert_false(kelvin_error_word(0, &word, &of));
}

static void blame(void **state)
{
    (void)state;
    kelvin_word word;
    const char *of;
    assert_fails("epochs is %d", 0);
    assert_string_equal(kelvin_error_field(), "");
    assert_fails(KELVIN_BLAME KELVIN_SAID, "epochs", kelvin_error_raw());
    assert_fails("run.json: " KELVIN_SAID "; see " KELVIN_FIELD, kelvin_error_raw(), "batch");
    assert_string_equal(kelvin_error_field(), "epochs");
    assert_string_equal(in_words(some_words), "run.json: epochs is 0; see <batch>");
    assert_true(kelvin_error_word(0, &word, &of));
    assert_string_equal(of, "batch"); /* blame is no word of clients */
}

static kelvin_status fail_in_thread(void *context, size_t task)
{
    (void)context;
    return task == 3 ? kelvin_fail(KELVIN_EFORMAT, KELVIN_REFER(RESUME, "%zu"), task) : KELVIN_OK;
}

static void other_threads(void **state)
{
    (void)state;
    kelvin_pool *pool;
    assert_ok(kelvin_pool_create(&pool, 4));
    for (int i = 0; i < 50; i++) {
        assert_int_equal(kelvin_pool_run(pool, fail_in_thread, NULL, 8), KELVIN_EFORMAT);
        assert_string_equal(in_words(some_words), "Run.resume(3)");
    }
    kelvin_pool_destroy(pool);
}

/* ---- what is no reference ---- */

/* Names of files may have any byte but two; none may speak for the library, or to a terminal. */
static void forged(void **state)
{
    (void)state;
    kelvin_word word;
    const char *of, name[] = "\x01RESUME\x02/etc\x03 \x04\x01"
                             "FIELD\x02x\x03\x05 \x11\x12\x13 \x1b[31m\n\x7f";
    assert_fails("%s: is no run", name);
    assert_string_equal(kelvin_error(), "?RESUME?/etc? ??FIELD?x?? ??? ?[31m??: is no run");
    assert_string_equal(in_words(some_words), kelvin_error());
    assert_false(kelvin_error_word(0, &word, &of));
    /* inside of a reference */
    assert_fails(KELVIN_FIELD " is what it is", "a\x03"
                                                "b\x01LIST\x02"
                                                "c");
    assert_string_equal(kelvin_error(), "a?b?LIST?c is what it is");
    assert_true(kelvin_error_word(0, &word, &of));
    assert_string_equal(of, "a?b?LIST?c");
    assert_false(kelvin_error_word(1, &word, &of));
    /* beside a sentence that is quoted, and in it */
    assert_fails("%s: lost", name);
    assert_fails("%s " KELVIN_SAID " %s", "\x01RESUME\x02y\x03\x04", kelvin_error_raw(), "\x05\x01RESUME\x02z\x03");
    assert_false(kelvin_error_word(0, &word, &of));
    assert_null(strpbrk(kelvin_error_raw(), "\x01\x02\x03\x04\x05"));
}

static void unknown(void **state)
{
    (void)state;
    kelvin_word word;
    const char *of;
    assert_fails("a " KELVIN_REFER(NO_SUCH_WORD_AND_A_LONG_ONE, "%s") " b " KELVIN_REFER(LIST, "%s"), "x", "models");
    assert_string_equal(kelvin_error(), "a x b the family models");
    assert_true(kelvin_error_word(0, &word, &of));
    assert_int_equal(word, KELVIN_WORD_LIST);
}

/* ---- little room ---- */

static void long_words(void *context, char *out, size_t size, kelvin_word word, const char *of)
{
    (void)context, (void)word, (void)of;
    memset(out, 'w', size - 1);
    out[size - 1] = '\0';
}

static void little_room(void **state)
{
    (void)state;
    char whole[64], cut[64], path[3 * KELVIN_RAW];
    assert_fails("see " KELVIN_REFER(RESUME, "%s") " and " KELVIN_FIELD, "RUN", "init");
    kelvin_error_say(whole, sizeof whole, NULL, NULL);
    for (size_t size = 1; size <= sizeof cut; size++) {
        memset(cut, 'x', sizeof cut);
        kelvin_error_say(cut, size, NULL, NULL);
        assert_true(strlen(cut) < size && strncmp(cut, whole, strlen(cut)) == 0);
        assert_true(size <= strlen(whole) ? strlen(cut) == size - 1 : strcmp(cut, whole) == 0);
        memset(cut, 'x', sizeof cut);
        kelvin_error_say(cut, size, long_words, NULL);
        assert_true(strlen(cut) == size - 1 || size == sizeof cut);
    }
    kelvin_error_say(NULL, 0, NULL, NULL);
    /* a sentence that was kept where there was too little room goes on to be one: what comes after it is still read */
    for (size_t size = 1; size <= 40; size++) {
        char kept[64];
        assert_fails("see " KELVIN_REFER(RESUME, "%s") " now", "RUN");
        snprintf(kept, size, "%s", kelvin_error_raw());
        assert_fails(KELVIN_SAID "; " KELVIN_FIELD " too", kept, "init");
        const char *end = strchr(kelvin_error(), ';');
        assert_non_null(end);
        assert_string_equal(end, "; init too");
    }
    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = '\0';
    assert_fails(KELVIN_REFER(RESUME, "%s") " %d", path, 1);
    assert_true(strncmp(kelvin_error(), "resuming ppp", 12) == 0 && strlen(kelvin_error()) > KELVIN_RAW - 64);
    assert_fails("%s: " KELVIN_SAID, path, kelvin_error_raw());
    assert_true(strlen(kelvin_error()) == KELVIN_RAW - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_and_others), cmocka_unit_test(each_word),     cmocka_unit_test(nested),
        cmocka_unit_test(blame),          cmocka_unit_test(other_threads), cmocka_unit_test(forged),
        cmocka_unit_test(unknown),        cmocka_unit_test(little_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
