/* An MLP on rows of a table in plain loops and double precision: the oracle of the kernels and of nn. */
#ifndef TESTS_PLAIN_MLP_H
#define TESTS_PLAIN_MLP_H

#include <kelvin/nn.h>

#include <string.h>

enum { PLAIN_UNITS = 80, PLAIN_LAYERS = 12 };

/* Activations of one input, layer by layer; the last one holds the logits. */
struct plain_mlp {
    double act[PLAIN_LAYERS][PLAIN_UNITS];
};

static void plain_forward(struct plain_mlp *p, const kelvin_model *model, const double *theta, const float *x)
{
    for (size_t i = 0; i < model->inputs; i++) p->act[0][i] = (double)x[i];
    for (size_t l = 0; l < model->n_layers; l++) {
        const kelvin_layer *layer = &model->layer[l + 1];
        const size_t in = layer->from.channels, out = layer->to.channels;
        const double *w = theta, *b = theta + in * out;
        for (size_t j = 0; j < out; j++) {
            double s = b[j];
            for (size_t i = 0; i < in; i++) s += w[j * in + i] * p->act[l][i];
            if (s < 0) s *= (double)layer->leak;
            p->act[l + 1][j] = s;
        }
        theta = b + out;
    }
}

#endif
