/* The command's words for what sentences of the library refer to. That what they quote is one word of a shell is for a
 * shell to say. */
#include "check.h"

#include "cli/words.h"

#include <stdio.h>

static const char *words(kelvin_word word, const char *of)
{
    static char out[512];
    memset(out, 0, sizeof out);
    command_words(NULL, out, sizeof out, word, of);
    return out;
}

/* None is forgotten: what it has no words for the library would say in its own. */
static void every_word(void **state)
{
    (void)state;
    size_t n = 0;
    for (; kelvin_word_name(n); n++) {
        const char *of = n == KELVIN_WORD_SETTING ? "step_size=0.1" : "step_size";
        if (!*words((kelvin_word)n, of)) fail_msg("no words for %s", kelvin_word_name(n));
        const bool names = strstr(words((kelvin_word)n, of), n < KELVIN_WORD_PART ? "--step-size" : "step_size");
        const bool alone =
            n == KELVIN_WORD_LIST || n == KELVIN_WORD_SAMPLE || n == KELVIN_WORD_CONFIG || n == KELVIN_WORD_CALL;
        if (names == alone) fail_msg("%s: \"%s\"", kelvin_word_name(n), words((kelvin_word)n, of));
    }
    assert_true(n > 0);
    assert_string_equal(words((kelvin_word)n, "one that a later library has"), "");
}

static void sentences(void **state)
{
    (void)state;
    assert_string_equal(words(KELVIN_WORD_FIELD, "temperature_schedule"), "--temperature-schedule");
    assert_string_equal(words(KELVIN_WORD_SETTING, "density=dirclip:0.9,-50"), "--density dirclip:0.9,-50");
    assert_string_equal(words(KELVIN_WORD_SETTING, "data=csv:a b.csv,label=x"), "--data 'csv:a b.csv,label=x'");
    assert_string_equal(words(KELVIN_WORD_RESUME, "runs/1"), "kelvin resume runs/1");
    assert_string_equal(words(KELVIN_WORD_RESUME, "-run"), "kelvin resume ./-run");
    assert_string_equal(words(KELVIN_WORD_REPEAT, "a b"), "kelvin sample --config 'a b' -o NEW");
    kelvin_fail(KELVIN_EUSAGE, "plain");
    assert_string_equal(command_error(), "plain");
}

/* ---- shells ---- */

static void shells(void **state)
{
    (void)state;
    static const char *const texts[] = {"run",  "runs/a-1_b.c", "",       "a b",    "it's",  "''",  "$HOME",
                                        "`id`", "a;b",          "a\\b",   "\"q\"",  "*",     "~",   "!!",
                                        "#1",   "a&b|c<d>e",    "(x)",    "[a-z]?", "{a,b}", "a=b", "\xc3\xa9",
                                        "'",    "a'b'c'",       " leads", "trails "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char word[64], line[128], found[64] = "";
        shell_word(word, sizeof word, texts[i]);
        snprintf(line, sizeof line, "printf %%s/%%s %s 2>&1", word);
        FILE *shell = popen(line, "r");
        assert_non_null(shell);
        const size_t n = fread(found, 1, sizeof found - 1, shell);
        assert_int_equal(pclose(shell), 0);
        found[n] = '\0';
        char expected[64];
        snprintf(expected, sizeof expected, "%s/", texts[i]); /* one word: two would fill the second place */
        assert_string_equal(found, expected);
    }
    char word[64];
    shell_word(word, sizeof word, "runs/a-1_b.c,x:y=z@1%+");
    assert_string_equal(word, "runs/a-1_b.c,x:y=z@1%+");
}

/* Where there is too little room, what is there is closed, and ends. */
static void little_room(void **state)
{
    (void)state;
    for (size_t size = 1; size < 40; size++) {
        char out[64];
        memset(out, 'x', sizeof out);
        shell_word(out, size, "it's a ''very'' long name");
        assert_true(strlen(out) < size);
        size_t quotes = 0;
        for (const char *at = out; *at; at++) quotes += *at == '\'' && (at == out || at[-1] != '\\');
        if (size >= 3) assert_int_equal(quotes % 2, 0);
        for (size_t n = 0; kelvin_word_name(n); n++) {
            memset(out, 'x', sizeof out);
            command_words(NULL, out, size, (kelvin_word)n, "a_field=of 'what'");
            assert_true(strlen(out) < size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_word), cmocka_unit_test(sentences),
                                       cmocka_unit_test(shells), cmocka_unit_test(little_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
