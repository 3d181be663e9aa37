/* The modelled NICs under a measurement: their steps, and that every packet they gave went where
 * the streams say it went. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model_nic.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct stream;

/* The plugin's functions, see model_nic.h. */
struct nics {
	unsigned (*count)(void);
	unsigned (*step)(void);
	bool (*report)(unsigned port, struct model_nic_report *r);
	void (*report_reset)(unsigned port);
	void (*pause)(unsigned port, bool paused);
	bool stepped; /* MODEL_NIC_MODE=step; else a thread moves frames */
};

/* Packets of streams that are gone, and what the NICs' verification said of them. */
struct nics_account {
	uint64_t rx, made, tx, tx_dropped, absorbed;
	/* packets that carried a mark and came back whole; 0: the NICs do not verify */
	uint64_t verified;
};

/*
 * Find them in what the program has loaded. ENODEV: no modelled NICs, or not in the mode that
 * stepped asks for.
 */
int nics_find(struct nics *nics, bool stepped, struct err *e);

/* Step until nothing moves; in the other mode give the thread a moment. */
void nics_settle(const struct nics *nics);

/* Sources of all ports on or off. */
void nics_pause(const struct nics *nics, bool paused);

/* Count from 0 on; nothing is under way. */
void nics_reset(const struct nics *nics);

/* Add what a stream counted. */
void nics_account_add(struct nics_account *a, const struct stream *s);

/*
 * Everything that was given since nics_reset() was received, all that was sent was taken, and
 * verified packets are whole. Nothing is under way. EIO: they do not add up, e says where. Fills
 * a->verified.
 */
int nics_account_check(const struct nics *nics, struct nics_account *a, struct err *e);
