/* What a copy costs the lcore that asks for it, and how many bytes a second come of it: by the CPU,
 * by a DMA engine, by both as dma_adaptive mixes them; length by length. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct out;

enum { DMA_LENGTHS = 64, DMA_SAMPLES = 101, DMA_COPY_MAX = 65536 };

/* Who copies. */
enum dma_mode {
	DMA_MEMCPY,   /* the CPU at once, without a device */
	DMA_CPU,      /* the CPU, behind dma_adaptive */
	DMA_ENGINE,   /* the engine, behind dma_adaptive where there is one */
	DMA_ADAPTIVE, /* either, by the thresholds in force */
	DMA_MODES,
};

/* Where lcore and memory are, seen from the engine. Source: Accelerating Para-Virtual I/O with
 * CBDMA. */
enum dma_where {
	DMA_LOCAL,      /* all on its node */
	DMA_MIN_REMOTE, /* the destination is away */
	DMA_MAX_REMOTE, /* source and destination are */
	DMA_CPU_REMOTE, /* the lcore is */
	DMA_WHERES,
};

/* What of the memory caches hold: all, or nothing of it. */
enum dma_warmth { DMA_HOT, DMA_COLD, DMA_WARMTHS };

/* Medians of the samples. */
struct dma_point {
	double cycles; /* of the lcore, per packet, without waiting; 0: not measured */
	double gbit;   /* a second */
};

struct dma_measured {
	int16_t dev;
	bool adaptive;
	uint32_t bytes[DMA_LENGTHS]; /* of a packet, ascending */
	unsigned int n;
	bool there[DMA_WHERES]; /* measured: this machine has such a place */
	struct dma_point point[DMA_WHERES][DMA_WARMTHS][DMA_LENGTHS][DMA_MODES];
};

/* The settings of it: dma-lengths, dma-batch, ... */
extern const struct setting dma_measure_settings[];
extern const size_t dma_measure_settings_n;

/* "local", "min-remote", ...; "hot", "cold"; "memcpy", "cpu", "dma", "adaptive". */
extern const char *const dma_measure_wheres[DMA_WHERES];
extern const char *const dma_measure_warmths[DMA_WARMTHS];
extern const char *const dma_measure_modes[DMA_MODES];

struct dma_measure_ask {
	const struct settings *settings;
	const char *dev;
	unsigned int
		modes; /* bits, 1 << enum dma_mode; those of a device that has them not are left out */
	struct out *out;  /* a terminal is told how far it is */
	int interrupt_fd; /* readable: give up */
};

/*
 * Measure: slices of all modes and lengths, interleaved, medians of dma-samples of each. The device
 * is set up and stopped again; its thresholds are afterwards what they were. 0, or -errno with e
 * filled: ENODEV no such device, EBUSY it runs, or is below another, or no lcore is idle, ENOMEM no
 * memory for what is copied, ERANGE it has no such ring, EIO copies failed, EINTR. Thread: control.
 */
int dma_measure(struct dma_measured *m, const struct dma_measure_ask *ask, struct err *e);
