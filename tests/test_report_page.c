/* The page about runs from inside: memory that cannot be had ends in a status, never in half a page. What a page has in
 * it is checked from outside, by test_page.sh. */
#include "chains_helpers.h"

#include "report/report.h"

static kelvin_status write_page(void *context)
{
    const char *const folders[] = {context};
    return report_write(in_base("page.html"), folders, 1, &(struct report_options){.threads = 1});
}

static void memory(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.epochs = 4;
    whole_run(&config, "run", 1, 60);
    char folder[KELVIN_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", in_base("run"));
    kelvin_alloc_fail_at(5);
    assert_int_equal(write_page(folder), KELVIN_ENOMEM);
    kelvin_alloc_fail_at(0);
    assert_int_not_equal(access(in_base("page.html"), F_OK), 0);
    assert_true(without_memory(write_page, folder) > 50);
    assert_int_equal(access(in_base("page.html"), F_OK), 0);
    assert_int_not_equal(access(in_base("page.html.tmp"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
