/* The family of data sets: one struct of functions per member, one table in data.c. */
#ifndef DATA_DATA_H
#define DATA_DATA_H

#include <kelvin/data.h>

struct data_type {
    const char *name, *about;
    kelvin_status (*open)(kelvin_data *data);
};

extern const struct data_type data_toy;

#endif
