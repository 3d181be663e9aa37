/* The bias of latencies: measured by a run without a device between the ports. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "args.h"

/* Twice the packets that a 99th percentile needs. */
#define MEASURE_BIAS_RATE "20kpps"
#define MEASURE_BIAS_MS 1000

/* Data of the command rows "measure bias" and "measure bias clear". */
extern const struct arg_trial_call measure_bias;
extern const struct arg_config_call measure_bias_clear;
