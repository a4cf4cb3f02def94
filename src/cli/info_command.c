/* kelvin info: what there is: this CPU, and the members of every family. */
#include "cli/command.h"
#include "cli/json.h"

#include <kelvin/family.h>

#include <string.h>

static const struct option options[] = {{"json", 0, NULL, OPTION_FLAG, 0, "print JSON instead of tables", NULL}};

static void print_member(FILE *out, const kelvin_member *member)
{
    enum { COLUMN = 27, ROOM = COLUMN - 3 };
    const bool fits = strlen(member->usage) <= ROOM;
    fprintf(out, fits ? "  %-*s " : "  %-*s\n%*s", ROOM, member->usage, COLUMN, "");
    print_wrapped(out, member->about, COLUMN, HELP_WIDTH);
}

static void print_tables(FILE *out, kelvin_isa chosen)
{
    fprintf(out, "kelvin            %s\nCPU               %s\nthreads           %zu\ninstruction sets ", KELVIN_VERSION,
            kelvin_cpu_name(), kelvin_cpu_count());
    for (kelvin_isa isa = 0; isa < KELVIN_ISA_COUNT; isa++)
        if (kelvin_isa_supported(isa)) fprintf(out, " %s%s", kelvin_isa_name(isa), isa == chosen ? " (chosen)" : "");
    fputc('\n', out);
    const kelvin_family *family;
    const kelvin_member *member;
    for (size_t f = 0; (family = kelvin_family_at(f)); f++) {
        const char *note = kelvin_family_note(family);
        fprintf(out, "\n%s%s%s\n", kelvin_family_title(family), note ? ", " : "", note ? note : "");
        for (size_t i = 0; (member = kelvin_family_member(family, i)); i++) print_member(out, member);
    }
}

static json_t *family_json(const kelvin_family *family)
{
    json_t *list = json_array();
    const kelvin_member *member;
    for (size_t i = 0; (member = kelvin_family_member(family, i)); i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s}", "name", member->name, "usage", member->usage, "about", member->about));
    return list;
}

static json_t *info_json(kelvin_isa chosen)
{
    json_t *supported = json_array();
    for (kelvin_isa isa = 0; isa < KELVIN_ISA_COUNT; isa++)
        if (kelvin_isa_supported(isa)) json_array_append_new(supported, json_string(kelvin_isa_name(isa)));
    json_t *info =
        json_pack("{s:s, s:s, s:I, s:s, s:o}", "version", KELVIN_VERSION, "cpu", kelvin_cpu_name(), "threads",
                  (json_int_t)kelvin_cpu_count(), "isa", kelvin_isa_name(chosen), "isas", supported);
    const kelvin_family *family;
    for (size_t f = 0; (family = kelvin_family_at(f)); f++)
        json_object_set_new(info, kelvin_family_key(family), family_json(family));
    return info;
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    (void)arguments;
    const bool *json = data;
    kelvin_isa chosen;
    KELVIN_TRY(kelvin_isa_choose(&chosen));
    if (*json) return print_json(stdout, info_json(chosen), FEW_DIGITS);
    print_tables(stdout, chosen);
    return KELVIN_OK;
}

static const struct example examples[] = {
    {"kelvin info", "What there is to choose from, and this CPU."},
    {NULL, NULL},
};

const struct command info_command = {
    .name = "info",
    .synopsis = "[--json]",
    .about = "List samplers, schedules, models, densities, priors, data sets and what else there is, and describe "
             "this CPU",
    .details = "Densities and priors are written as name:value,value in the order shown. KELVIN_ISA in the "
               "environment chooses another of the listed instruction sets; all with FMA give the same bits.",
    .options = {options, sizeof options / sizeof *options, NULL},
    .settings_size = sizeof(bool),
    .examples = examples,
    .run = run,
};
