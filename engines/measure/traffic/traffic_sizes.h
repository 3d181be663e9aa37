/* Reads the sizes of packets of a description. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/measure/traffic/traffic_form.h"

/* What traffic_sizes_read() takes, for errors. */
#define TRAFFIC_SIZES \
	"bytes without CRC, up to 16384: N, LOW-HIGH, imix, in order A,B,... or START+STEP*N, or N:WEIGHT,... with weights of 4096 in sum"

/* Read N, A-B, A,B,..., START+STEP*N, N:WEIGHT,... or imix; false: word is none. Thread: control. */
bool traffic_sizes_read(struct traffic *t, const char *word);

/* Bring the sizes into their order, once the length of the headers is known. Thread: control. */
void traffic_sizes_finish(struct traffic *t);
