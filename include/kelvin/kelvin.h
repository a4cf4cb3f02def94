/* All of kelvin: Bayesian neural networks on ordinary CPUs. Start with any room's own header; each has an example on
 * top. */
#ifndef KELVIN_H
#define KELVIN_H

#include <kelvin/base.h>
#include <kelvin/data.h>
#include <kelvin/density.h>
#include <kelvin/experiment.h>
#include <kelvin/export.h>
#include <kelvin/family.h>
#include <kelvin/fetch.h>
#include <kelvin/figures.h>
#include <kelvin/files.h>
#include <kelvin/nn.h>
#include <kelvin/posterior.h>
#include <kelvin/ranks.h>
#include <kelvin/report.h>
#include <kelvin/run.h>
#include <kelvin/sampler.h>
#include <kelvin/target.h>

#endif
