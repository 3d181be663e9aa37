/* Cost of a copy for the calling lcore, and its throughput: by the CPU, by a DMA engine and by
 * dma_adaptive, for each length. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct interrupt;
struct out;

enum { DMA_LENGTHS = 64, DMA_SAMPLES = 101, DMA_COPY_MAX = 65536 };

/* How copies are made. */
enum dma_mode {
	DMA_MEMCPY,   /* plain memcpy(), without a device */
	DMA_CPU,      /* the CPU, through dma_adaptive */
	DMA_ENGINE,   /* the engine, through dma_adaptive if there is one */
	DMA_ADAPTIVE, /* dma_adaptive with its current thresholds */
	DMA_MODES,
};

/* NUMA placement of lcore and memory relative to the engine. Source: Accelerating Para-Virtual I/O
 * with CBDMA. */
enum dma_where {
	DMA_LOCAL,      /* everything on the engine's node */
	DMA_MIN_REMOTE, /* the destination is remote */
	DMA_MAX_REMOTE, /* source and destination are remote */
	DMA_CPU_REMOTE, /* the lcore is remote */
	DMA_WHERES,
};

/* Whether the copied memory is in the caches. */
enum dma_warmth { DMA_HOT, DMA_COLD, DMA_WARMTHS };

/* Medians of the samples. */
struct dma_point {
	double cycles; /* of the lcore per packet, without waiting; 0: not measured */
	double gbit;   /* Gbit/s */
};

struct dma_measured {
	int16_t dev;
	bool adaptive;
	uint32_t bytes[DMA_LENGTHS]; /* packet lengths, ascending */
	unsigned int n;
	bool there[DMA_WHERES]; /* measured because this machine has such a place */
	struct dma_point point[DMA_WHERES][DMA_WARMTHS][DMA_LENGTHS][DMA_MODES];
};

/* The settings of this file: dma-lengths, dma-batch, ... */
extern const struct setting_table dma_measure_settings;

/* "local", "min-remote", ...; "hot", "cold"; "memcpy", "cpu", "dma", "adaptive". */
extern const char *const dma_measure_wheres[DMA_WHERES];
extern const char *const dma_measure_warmths[DMA_WARMTHS];
extern const char *const dma_measure_modes[DMA_MODES];

struct dma_measure_ask {
	const struct settings *settings;
	const char *dev;
	unsigned int modes; /* bits 1 << enum dma_mode; modes without support are skipped */
	struct out *out;    /* shows the progress if it is a terminal */
	struct interrupt *interrupt; /* ends the measurement */
	double tsc_hz;               /* of struct run */
};

/*
 * Measure time slices of all modes and lengths, interleaved; the results are medians of dma-samples
 * slices. The device is set up and stopped; its thresholds are restored. Returns 0, or -errno with
 * e filled: ENODEV no such device, EBUSY device running or used by another or no idle lcore,
 * ENOMEM, ERANGE ring size, EIO copies failed, ETIMEDOUT, EINTR. Thread: control.
 */
int dma_measure(struct dma_measured *m, const struct dma_measure_ask *ask, struct err *e);
