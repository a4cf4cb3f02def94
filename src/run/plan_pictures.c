/* The plan for pictures: small ones are rows of a table; those of digits and the like go to a small convolutional
 * network, larger ones to a residual network. */
#include "run/choose.h"

#include <stdio.h>

void kelvin_plan_pictures(struct kelvin_plan *plan, const kelvin_data *data)
{
    kelvin_plan_table(plan, data);
    if (data->height * data->width <= 12 * 12) return;
    *plan = (struct kelvin_plan){.schedule = "paper",
                                 .augment = "none",
                                 .batch = data->train.n < 125 ? (uint32_t)data->train.n : 125,
                                 .chains = 4,
                                 .draws = 1,
                                 .trial = 4,
                                 .epochs = 30,
                                 .most_epochs = 30,
                                 .lr = 0.01,
                                 .candidates = 1,
                                 .candidate = {{1, 2}},
                                 .why = "for pictures of their size"};
    snprintf(plan->model, sizeof plan->model, "%s", data->channels == 1 ? "cnn" : "resnet20");
}
