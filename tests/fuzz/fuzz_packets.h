/* Random packets for engines, and checks of what engines send. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* State of the random numbers: equal states give equal rounds. */
extern uint64_t fuzz_state;

/* mbuf_readonly_register()'s flag for segments that engines must not change. */
extern uint64_t fuzz_readonly;

/* 0..n-1. */
uint32_t fuzz_below(uint64_t n);

/* True once in n calls. */
bool fuzz_once_in(uint32_t n);

/* Put a packet, or several of a TCP flow, on FIXTURE_IN. */
void fuzz_packet_in(void);

/* Take, check and free what engines sent: whole segments, valid flags, readable bytes. */
void fuzz_packets_out(void);

/* At the end of a round: read-only data is unchanged, and no mbuf refers to it. */
void fuzz_shared_check(void);
