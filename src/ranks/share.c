/* What a leader tells its team, and hears from it, in one message each. */
#include "base/words.h"
#include "ranks/desk.h"

#include <stdio.h>
#include <string.h>

kelvin_status kelvin_share(const struct kelvin_team *team, void *data, size_t size)
{
    if (team->size < 2) return KELVIN_OK;
    if (!kelvin_team_leads(team)) return kelvin_receive(data, size, NULL, (int)team->first, KELVIN_KIND_SHARED);
    for (size_t i = 1; i < team->size; i++) KELVIN_TRY(kelvin_post(team->first + i, KELVIN_KIND_SHARED, data, size));
    return KELVIN_OK;
}

struct outcome {
    int32_t status;
    char sentence[KELVIN_RAW];
};

static struct outcome outcome_of(kelvin_status status)
{
    struct outcome outcome = {.status = (int32_t)status};
    if (status) snprintf(outcome.sentence, sizeof outcome.sentence, "%s", kelvin_error_raw());
    return outcome;
}

kelvin_status kelvin_share_status(const struct kelvin_team *team, kelvin_status status)
{
    struct outcome outcome = outcome_of(status);
    if (team->size < 2) return status;
    KELVIN_TRY(kelvin_share(team, &outcome, sizeof outcome));
    if (kelvin_team_leads(team) || !outcome.status) return status;
    return kelvin_fail((kelvin_status)outcome.status, KELVIN_SAID, outcome.sentence);
}

kelvin_status kelvin_report_status(const struct kelvin_team *team, kelvin_status status)
{
    struct outcome outcome = outcome_of(status), first = outcome;
    char name[KELVIN_RANK_NAME];
    if (team->size < 2) return status;
    if (!kelvin_team_leads(team)) {
        KELVIN_TRY(kelvin_post(team->first, KELVIN_KIND_REPORT, &outcome, sizeof outcome));
        return status ? kelvin_fail(status, KELVIN_SAID, first.sentence) : KELVIN_OK;
    }
    for (size_t i = 1; i < team->size; i++) {
        KELVIN_TRY(kelvin_receive(&outcome, sizeof outcome, NULL, (int)(team->first + i), KELVIN_KIND_REPORT));
        if (!outcome.status || (first.status && first.status != KELVIN_ESTOP)) continue;
        kelvin_rank_name(name, team->first + i);
        first.status = outcome.status;
        kelvin_compose(first.sentence, sizeof first.sentence, "%s: " KELVIN_SAID, name, outcome.sentence);
    }
    return first.status ? kelvin_fail((kelvin_status)first.status, KELVIN_SAID, first.sentence) : KELVIN_OK;
}
