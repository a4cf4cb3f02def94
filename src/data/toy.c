/* The 18 points of figure 1: two classes, each with one point (its ninth) on the other's side. */
#include "data/data.h"

static const float x[18][2] = {
    {.15f, -.39f}, {.25f, -.23f}, {.12f, -.12f}, {.38f, -.10f}, {.45f, -.38f}, {.62f, -.25f},
    {.83f, -.12f}, {.80f, -.37f}, {.73f, -.69f}, {.18f, -.68f}, {.35f, -.58f}, {.45f, -.82f},
    {.51f, -.70f}, {.61f, -.60f}, {.69f, -.83f}, {.87f, -.76f}, {.82f, -.59f}, {.40f, -.27f},
};
static const int32_t y[18] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static kelvin_status open(kelvin_data *data)
{
    data->n = 18;
    data->inputs = 2;
    data->classes = 2;
    data->x = &x[0][0];
    data->y = y;
    return KELVIN_OK;
}

const struct data_type data_toy = {"toy", "18 points in the plane, 2 classes (figure 1)", open};
