/* The table of the kernels compiled for one instruction set. */
#include "kernels/local.h"
#include "kernels/vec.h"

#define ISA_baseline  KELVIN_ISA_BASELINE
#define ISA_v3        KELVIN_ISA_X86_64_V3
#define ISA_v4        KELVIN_ISA_X86_64_V4
#define ISA_OF_2(isa) ISA_##isa
#define ISA_OF(isa)   ISA_OF_2(isa)

const struct kelvin_kernels NAME(kernels) = {
    .isa = ISA_OF(ISA),
    .fma = VEC_FMA,
    .axpy = NAME(axpy),
    .kick_drift = NAME(kick_drift),
    .multiply = NAME(multiply),
    .axpy_by = NAME(axpy_by),
    .lanes_axpy = NAME(lanes_axpy),
    .lanes_kick_drift = NAME(lanes_kick_drift),
    .lanes_axpy_by = NAME(lanes_axpy_by),
    .lanes_push = NAME(lanes_push),
    .dot = NAME(dot),
    .dots = NAME(dots),
    .random_bits = NAME(random_bits),
    .normals = NAME(normals),
    .softmax = NAME(softmax),
    .softmax_backward = NAME(softmax_backward),
    .categorical = NAME(categorical),
    .outputs = NAME(outputs),
    .softmax_double = NAME(softmax_double),
    .add_rows = NAME(add_rows),
    .appraise = NAME(appraise),
    .mlp_forward = NAME(mlp_forward),
    .mlp_backward = NAME(mlp_backward),
    .chains_4 = &NAME(chains_4),
    .chains_8 = &NAME(chains_8),
    .rows_forward = NAME(rows_forward),
    .rows_logits = NAME(rows_logits),
    .rows_backward = NAME(rows_backward),
    .rows_end = NAME(rows_end),
    .rows_gradient = NAME(rows_gradient),
    .turn = NAME(turn),
    .panel_pack = NAME(panel_pack),
    .panel_conv_forward = NAME(panel_conv_forward),
    .panel_conv_backward = NAME(panel_conv_backward),
    .panel_conv_gradient = NAME(panel_conv_gradient),
    .image = NAME(image),
    .direct = CONV_METHOD(direct, NULL),
    .winograd_2 = CONV_METHOD(winograd_2, NAME(winograd_2_both)),
    .winograd_4 = CONV_METHOD(winograd_4, NAME(winograd_4_both)),
    .winograd_s2 = CONV_METHOD(winograd_s2, NULL),
    .frn_forward = NAME(frn_forward),
    .frn_backward = NAME(frn_backward),
    .frn_slopes = NAME(frn_slopes),
    .mean_forward = NAME(mean_forward),
    .mean_backward = NAME(mean_backward),
    .map_from_planes = NAME(map_from_planes),
    .langevin = NAME(langevin),
    .fma_peak = NAME(fma_peak),
};
