/* The 18 points of figure 1: two classes, each with one point (its ninth) on the other's side. */
#include "data/dataset.h"
#include "data/labels.h"

enum { N = KELVIN_TOY_POINTS, INPUTS = 2 };

const float kelvin_toy_points[N][INPUTS] = {
    {.15f, -.39f}, {.25f, -.23f}, {.12f, -.12f}, {.38f, -.10f}, {.45f, -.38f}, {.62f, -.25f},
    {.83f, -.12f}, {.80f, -.37f}, {.73f, -.69f}, {.18f, -.68f}, {.35f, -.58f}, {.45f, -.82f},
    {.51f, -.70f}, {.61f, -.60f}, {.69f, -.83f}, {.87f, -.76f}, {.82f, -.59f}, {.40f, -.27f},
};

static kelvin_status open(struct data_loader *loader)
{
    static const double mean[INPUTS] = {0, 0}, deviation[INPUTS] = {1, 1}; /* the network sees the points as they are */
    loader->data->inputs = INPUTS;
    loader->data->mean = mean;
    loader->data->deviation = deviation;
    KELVIN_TRY(kelvin_data_alloc_rows(loader, N));
    for (size_t i = 0; i < N * INPUTS; i++) loader->values[i] = (double)(&kelvin_toy_points[0][0])[i];
    for (size_t i = 0; i < N; i++) loader->y[i] = kelvin_toy_label(i);
    return kelvin_labels_to_classes(loader, NULL, "toy", NULL);
}

const struct data_type kelvin_data_toy = {
    .member = KELVIN_PLAIN_MEMBER("toy", "18 points in the plane, 2 classes (figure 1); built in"),
    .open = open,
};
