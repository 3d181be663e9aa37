/* What sees bursts beside an engine in a round of engines_fuzz. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"
#include "features/capture/capture_tap.h"
#include "run/packets/run_writable.h"
#include "run/run_mirror.h"

struct fuzz_observers {
	const struct rte_eth_rxtx_callback *verbose[2];
	struct run_mirror_queue *mirror;
	struct run_writable_queue writable;
	struct capture_tap *tap[2];
	struct capture_filter filter;
};

/* Switch some of them on, at random, for a stream from FIXTURE_IN to FIXTURE_OUT. */
void fuzz_observers_begin(struct fuzz_observers *o, struct stream *s);

/* Switch them off, and check that their counts agree. */
void fuzz_observers_end(struct fuzz_observers *o);
