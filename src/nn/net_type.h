/* net_type: one way to run a model. There are three: `panels.c`, where lanes are observations (small networks: whatever
 * the number of channels, no lane is wasted), `maps.c`, where lanes are channels (residual networks: an image stays in
 * cache through its layers), and, for batches of a table, `rows.c`, where lanes are units. */
#ifndef NN_NET_TYPE_H
#define NN_NET_TYPE_H

#include "kernels/kernels.h"

#include "nn/nn.h"

/* The first members of every net and of all weights; what follows is the type's own. */
struct kelvin_weights {
    kelvin_arena *arena;
    const kelvin_model *model;
    const struct net_type *type;
    const struct kelvin_kernels *kernels;
    const float *theta;
};

struct kelvin_net {
    kelvin_arena *arena;
    const kelvin_model *model;
    const struct net_type *type;
    const struct kelvin_kernels *kernels;
    float *z; /* (classes, KELVIN_BLOCK), for kelvin_net_logits */
};

struct net_type {
    size_t block; /* observations that it takes at a time */
    size_t weights_size, net_size;

    /* After the members above have been set; all memory from the arena. Weights: NULL where theta is used as it is. */
    kelvin_status (*weights_create)(kelvin_weights *weights);
    kelvin_status (*net_create)(kelvin_net *net);

    /* NULL where nothing is packed. */
    size_t (*packed)(const kelvin_model *model, size_t n);
    void (*pack)(const kelvin_model *model, const struct kelvin_kernels *kernels, float *packed, const float *x,
                 size_t n);
    /* Part 0 .. parts - 1 of the work; NULL as well. */
    void (*weights_set)(kelvin_weights *weights, const float *theta, bool backward, size_t part, size_t parts);
    void (*forward)(kelvin_net *net, float *z, const kelvin_weights *weights, const kelvin_block *block);
    void (*backward)(kelvin_net *net, float *grad, const kelvin_weights *weights, const float *dz,
                     const kelvin_block *block);
};

extern const struct net_type kelvin_net_panels, kelvin_net_maps, kelvin_net_rows;

#endif
