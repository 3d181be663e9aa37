/* Where DPDK's drivers keep what the shims have to know, by release: made by devtools/layouts. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A row is of all releases from its first to its last that there were when this was made.
 */
#pragma once

#include <rte_config.h>

/* clang-format off */
/* The series of releases: year, month, minor of the newest known one, minor of the one that was run with
 * cache lines of 64 and with those of 128 bytes. */
#define SHIM_SERIES(S) \
	S(22, 11, 11, 11, 11) \
	S(23, 3, 0, SHIM_NEVER, SHIM_NEVER) \
	S(23, 7, 0, SHIM_NEVER, SHIM_NEVER) \
	S(23, 11, 7, SHIM_NEVER, SHIM_NEVER) \
	S(24, 3, 0, SHIM_NEVER, SHIM_NEVER) \
	S(24, 7, 0, SHIM_NEVER, SHIM_NEVER) \
	S(24, 11, 6, 4, SHIM_NEVER) \
	S(25, 3, 0, SHIM_NEVER, SHIM_NEVER) \
	S(25, 7, 0, SHIM_NEVER, SHIM_NEVER) \
	S(25, 11, 2, 2, SHIM_NEVER) \
	S(26, 3, 0, SHIM_NEVER, SHIM_NEVER) \
	S(26, 7, 0, 0, SHIM_NEVER)

#if RTE_CACHE_LINE_SIZE == 128
#define I40E_RX_ROWS(ROW) \
	ROW(I40E_RX_22_11, 22, 11, 0, 25, 3, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 32, .tail = 36, \
		.rearm_n = 776, .rearm_start = 778, .port = 792, .queue = 796, .doorbell = 808, .fake = 128, .vector = 834, \
		.ring_iova = 16, .desc_size = 32, .rearm = 32) \
	ROW(I40E_RX_25_07, 25, 7, 0, 26, 7, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 576, .tail = 578, \
		.rearm_n = 590, .rearm_start = 592, .port = 596, .queue = 594, .doorbell = 16, .fake = 768, \
		.vector = SHIM_NONE, .ring_iova = 40, .desc_size = 32, .rearm = 64)
#else
#define I40E_RX_ROWS(ROW) \
	ROW(I40E_RX_22_11, 22, 11, 0, 25, 3, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 32, .tail = 36, \
		.rearm_n = 712, .rearm_start = 714, .port = 728, .queue = 732, .doorbell = 744, .fake = 64, .vector = 770, \
		.ring_iova = 16, .desc_size = 32, .rearm = 32) \
	ROW(I40E_RX_25_07, 25, 7, 0, 26, 7, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 576, .tail = 578, \
		.rearm_n = 590, .rearm_start = 592, .port = 596, .queue = 594, .doorbell = 16, .fake = 704, \
		.vector = SHIM_NONE, .ring_iova = 40, .desc_size = 32, .rearm = 64)
#endif

#define I40E_TX_ROWS(ROW) \
	ROW(I40E_TX_22_11, 22, 11, 0, 23, 11, 7, .ring = 16, .sw_ring = 24, .size = 0, .tail = 32, .free = 52, \
		.rs_thresh = 56, .next_done = 80, .next_rs = 82, .doorbell = 40, .port = 62, .queue = 64, .offloads = 88, \
		.ipsec = SHIM_NONE, .ring_iova = 8, .prefetch = 58, .bare = 0, .done_offset = 8, .done_mask = 15, .least = 32) \
	ROW(I40E_TX_24_03, 24, 3, 0, 24, 11, 6, .ring = 16, .sw_ring = 24, .size = 0, .tail = 32, .free = 52, \
		.rs_thresh = 56, .next_done = 80, .next_rs = 82, .doorbell = 40, .port = 62, .queue = 64, .offloads = 104, \
		.ipsec = SHIM_NONE, .ring_iova = 8, .prefetch = 58, .bare = 0, .done_offset = 8, .done_mask = 15, .least = 32) \
	ROW(I40E_TX_25_03, 25, 3, 0, 25, 3, 0, .ring = 0, .sw_ring = 16, .size = 24, .tail = 26, .free = 32, \
		.rs_thresh = 36, .next_done = 44, .next_rs = 46, .doorbell = 8, .port = 38, .queue = 40, .offloads = 48, \
		.ipsec = 119, .ring_iova = 64, .prefetch = 116, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 32) \
	ROW(I40E_TX_25_07, 25, 7, 0, 25, 11, 2, .ring = 0, .sw_ring = 16, .size = 24, .tail = 26, .free = 32, \
		.rs_thresh = 36, .next_done = 44, .next_rs = 46, .doorbell = 8, .port = 38, .queue = 40, .offloads = 48, \
		.ipsec = 119, .ring_iova = 64, .prefetch = 116, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 64) \
	ROW(I40E_TX_26_03, 26, 3, 0, 26, 3, 0, .ring = 0, .sw_ring = 16, .size = 32, .tail = 34, .free = 38, \
		.rs_thresh = 42, .next_done = 52, .next_rs = 54, .doorbell = 8, .port = 46, .queue = 48, .offloads = 64, \
		.ipsec = 135, .ring_iova = 80, .prefetch = 132, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 64) \
	ROW(I40E_TX_26_07, 26, 7, 0, 26, 7, 0, .ring = 0, .sw_ring = 16, .size = 32, .tail = 34, .free = 38, \
		.rs_thresh = 42, .next_done = 52, .next_rs = 54, .doorbell = 8, .port = 46, .queue = 48, .offloads = 64, \
		.ipsec = 132, .ring_iova = 80, .prefetch = 129, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 64)

#if RTE_CACHE_LINE_SIZE == 128
#define ICE_RX_ROWS(ROW) \
	ROW(ICE_RX_22_11, 22, 11, 0, 25, 3, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 32, .tail = 36, \
		.rearm_n = 768, .rearm_start = 770, .port = 784, .queue = 788, .doorbell = 800, .fake = 128, \
		.vector = SHIM_NONE, .ring_iova = 16, .desc_size = 32, .rearm = 64) \
	ROW(ICE_RX_25_07, 25, 7, 0, 26, 7, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 576, .tail = 578, \
		.rearm_n = 590, .rearm_start = 592, .port = 596, .queue = 594, .doorbell = 16, .fake = 768, \
		.vector = SHIM_NONE, .ring_iova = 40, .desc_size = 32, .rearm = 64)
#else
#define ICE_RX_ROWS(ROW) \
	ROW(ICE_RX_22_11, 22, 11, 0, 25, 3, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 32, .tail = 36, \
		.rearm_n = 704, .rearm_start = 706, .port = 720, .queue = 724, .doorbell = 736, .fake = 64, \
		.vector = SHIM_NONE, .ring_iova = 16, .desc_size = 32, .rearm = 64) \
	ROW(ICE_RX_25_07, 25, 7, 0, 26, 7, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 576, .tail = 578, \
		.rearm_n = 590, .rearm_start = 592, .port = 596, .queue = 594, .doorbell = 16, .fake = 704, \
		.vector = SHIM_NONE, .ring_iova = 40, .desc_size = 32, .rearm = 64)
#endif

#define ICE_TX_ROWS(ROW) \
	ROW(ICE_TX_22_11, 22, 11, 0, 24, 11, 6, .ring = 16, .sw_ring = 24, .size = 0, .tail = 32, .free = 52, \
		.rs_thresh = 56, .next_done = 96, .next_rs = 98, .doorbell = 40, .port = 62, .queue = 64, .offloads = 80, \
		.ipsec = SHIM_NONE, .ring_iova = 8, .prefetch = 58, .bare = 0, .done_offset = 8, .done_mask = 15, .least = 64) \
	ROW(ICE_TX_25_03, 25, 3, 0, 25, 11, 2, .ring = 0, .sw_ring = 16, .size = 24, .tail = 26, .free = 32, \
		.rs_thresh = 36, .next_done = 44, .next_rs = 46, .doorbell = 8, .port = 38, .queue = 40, .offloads = 48, \
		.ipsec = 119, .ring_iova = 64, .prefetch = 116, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 64) \
	ROW(ICE_TX_26_03, 26, 3, 0, 26, 3, 0, .ring = 0, .sw_ring = 16, .size = 32, .tail = 34, .free = 38, \
		.rs_thresh = 42, .next_done = 52, .next_rs = 54, .doorbell = 8, .port = 46, .queue = 48, .offloads = 64, \
		.ipsec = 135, .ring_iova = 80, .prefetch = 132, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 64) \
	ROW(ICE_TX_26_07, 26, 7, 0, 26, 7, 0, .ring = 0, .sw_ring = 16, .size = 32, .tail = 34, .free = 38, \
		.rs_thresh = 42, .next_done = 52, .next_rs = 54, .doorbell = 8, .port = 46, .queue = 48, .offloads = 64, \
		.ipsec = 132, .ring_iova = 80, .prefetch = 129, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 64)

#if RTE_CACHE_LINE_SIZE == 128
#define IAVF_RX_ROWS(ROW) \
	ROW(IAVF_RX_22_11, 22, 11, 0, 25, 3, 0, .pool = 0, .ring = 16, .sw_ring = 32, .size = 40, .tail = 42, \
		.rearm_n = 258, .rearm_start = 260, .port = 792, .queue = 796, .doorbell = 48, .fake = 128, \
		.vector = SHIM_NONE, .ring_iova = 24, .desc_size = 32, .rearm = 32) \
	ROW(IAVF_RX_25_07, 25, 7, 0, 26, 7, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 576, .tail = 578, \
		.rearm_n = 590, .rearm_start = 592, .port = 596, .queue = 594, .doorbell = 16, .fake = 768, \
		.vector = SHIM_NONE, .ring_iova = 40, .desc_size = 32, .rearm = 64)
#else
#define IAVF_RX_ROWS(ROW) \
	ROW(IAVF_RX_22_11, 22, 11, 0, 25, 3, 0, .pool = 0, .ring = 16, .sw_ring = 32, .size = 40, .tail = 42, \
		.rearm_n = 258, .rearm_start = 260, .port = 792, .queue = 796, .doorbell = 48, .fake = 128, \
		.vector = SHIM_NONE, .ring_iova = 24, .desc_size = 32, .rearm = 32) \
	ROW(IAVF_RX_25_07, 25, 7, 0, 26, 7, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 576, .tail = 578, \
		.rearm_n = 590, .rearm_start = 592, .port = 596, .queue = 594, .doorbell = 16, .fake = 704, \
		.vector = SHIM_NONE, .ring_iova = 40, .desc_size = 32, .rearm = 64)
#endif

#define IAVF_TX_ROWS(ROW) \
	ROW(IAVF_TX_22_11, 22, 11, 0, 23, 7, 0, .ring = 8, .sw_ring = 24, .size = 32, .tail = 34, .free = 50, \
		.rs_thresh = 56, .next_done = 72, .next_rs = 74, .doorbell = 40, .port = 60, .queue = 62, .offloads = 64, \
		.ipsec = SHIM_NONE, .ring_iova = 16, .prefetch = SHIM_NONE, .bare = 0, .done_offset = 8, .done_mask = 15, \
		.least = 32) \
	ROW(IAVF_TX_23_11, 23, 11, 0, 24, 11, 6, .ring = 8, .sw_ring = 24, .size = 32, .tail = 34, .free = 50, \
		.rs_thresh = 56, .next_done = 88, .next_rs = 90, .doorbell = 40, .port = 72, .queue = 74, .offloads = 80, \
		.ipsec = SHIM_NONE, .ring_iova = 16, .prefetch = SHIM_NONE, .bare = 0, .done_offset = 8, .done_mask = 15, \
		.least = 32) \
	ROW(IAVF_TX_25_03, 25, 3, 0, 25, 3, 0, .ring = 0, .sw_ring = 16, .size = 24, .tail = 26, .free = 32, \
		.rs_thresh = 36, .next_done = 44, .next_rs = 46, .doorbell = 8, .port = 38, .queue = 40, .offloads = 48, \
		.ipsec = 119, .ring_iova = 64, .prefetch = 116, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 32) \
	ROW(IAVF_TX_25_07, 25, 7, 0, 25, 11, 2, .ring = 0, .sw_ring = 16, .size = 24, .tail = 26, .free = 32, \
		.rs_thresh = 36, .next_done = 44, .next_rs = 46, .doorbell = 8, .port = 38, .queue = 40, .offloads = 48, \
		.ipsec = 119, .ring_iova = 64, .prefetch = 116, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 64) \
	ROW(IAVF_TX_26_03, 26, 3, 0, 26, 3, 0, .ring = 0, .sw_ring = 16, .size = 32, .tail = 34, .free = 38, \
		.rs_thresh = 42, .next_done = 52, .next_rs = 54, .doorbell = 8, .port = 46, .queue = 48, .offloads = 64, \
		.ipsec = 135, .ring_iova = 80, .prefetch = 132, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 64) \
	ROW(IAVF_TX_26_07, 26, 7, 0, 26, 7, 0, .ring = 0, .sw_ring = 16, .size = 32, .tail = 34, .free = 38, \
		.rs_thresh = 42, .next_done = 52, .next_rs = 54, .doorbell = 8, .port = 46, .queue = 48, .offloads = 64, \
		.ipsec = 132, .ring_iova = 80, .prefetch = 129, .bare = 1, .done_offset = 8, .done_mask = 15, .least = 64)

#if RTE_CACHE_LINE_SIZE == 128
#define IXGBE_RX_ROWS(ROW) \
	ROW(IXGBE_RX_22_11, 22, 11, 0, 25, 3, 0, .pool = 0, .ring = 8, .sw_ring = 40, .size = 80, .tail = 82, \
		.rearm_n = 94, .rearm_start = 96, .port = 106, .queue = 100, .doorbell = 24, .fake = 128, .vector = 92, \
		.ring_iova = 16, .desc_size = 16, .rearm = 32) \
	ROW(IXGBE_RX_25_07, 25, 7, 0, 26, 7, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 576, .tail = 578, \
		.rearm_n = 590, .rearm_start = 592, .port = 596, .queue = 594, .doorbell = 16, .fake = 768, \
		.vector = SHIM_NONE, .ring_iova = 40, .desc_size = 16, .rearm = 64)
#else
#define IXGBE_RX_ROWS(ROW) \
	ROW(IXGBE_RX_22_11, 22, 11, 0, 25, 3, 0, .pool = 0, .ring = 8, .sw_ring = 40, .size = 80, .tail = 82, \
		.rearm_n = 94, .rearm_start = 96, .port = 106, .queue = 100, .doorbell = 24, .fake = 128, .vector = 92, \
		.ring_iova = 16, .desc_size = 16, .rearm = 32) \
	ROW(IXGBE_RX_25_07, 25, 7, 0, 26, 7, 0, .pool = 0, .ring = 8, .sw_ring = 24, .size = 576, .tail = 578, \
		.rearm_n = 590, .rearm_start = 592, .port = 596, .queue = 594, .doorbell = 16, .fake = 704, \
		.vector = SHIM_NONE, .ring_iova = 40, .desc_size = 16, .rearm = 64)
#endif

#define IXGBE_TX_ROWS(ROW) \
	ROW(IXGBE_TX_22_11, 22, 11, 0, 24, 11, 6, .ring = 0, .sw_ring = 16, .size = 32, .tail = 34, .free = 44, \
		.rs_thresh = 38, .next_done = 46, .next_rs = 48, .doorbell = 24, .port = 54, .queue = 50, .offloads = 64, \
		.ipsec = 169, .ring_iova = 8, .prefetch = 56, .bare = 0, .done_offset = 12, .done_mask = 1, .least = 32) \
	ROW(IXGBE_TX_25_03, 25, 3, 0, 25, 3, 0, .ring = 0, .sw_ring = 16, .size = 24, .tail = 26, .free = 32, \
		.rs_thresh = 36, .next_done = 44, .next_rs = 46, .doorbell = 8, .port = 38, .queue = 40, .offloads = 48, \
		.ipsec = 119, .ring_iova = 64, .prefetch = 116, .bare = 1, .done_offset = 12, .done_mask = 1, .least = 32) \
	ROW(IXGBE_TX_25_07, 25, 7, 0, 25, 11, 2, .ring = 0, .sw_ring = 16, .size = 24, .tail = 26, .free = 32, \
		.rs_thresh = 36, .next_done = 44, .next_rs = 46, .doorbell = 8, .port = 38, .queue = 40, .offloads = 48, \
		.ipsec = 119, .ring_iova = 64, .prefetch = 116, .bare = 1, .done_offset = 12, .done_mask = 1, .least = 64) \
	ROW(IXGBE_TX_26_03, 26, 3, 0, 26, 3, 0, .ring = 0, .sw_ring = 16, .size = 32, .tail = 34, .free = 38, \
		.rs_thresh = 42, .next_done = 52, .next_rs = 54, .doorbell = 8, .port = 46, .queue = 48, .offloads = 64, \
		.ipsec = 135, .ring_iova = 80, .prefetch = 132, .bare = 1, .done_offset = 12, .done_mask = 1, .least = 64) \
	ROW(IXGBE_TX_26_07, 26, 7, 0, 26, 7, 0, .ring = 0, .sw_ring = 16, .size = 32, .tail = 34, .free = 38, \
		.rs_thresh = 42, .next_done = 52, .next_rs = 54, .doorbell = 8, .port = 46, .queue = 48, .offloads = 64, \
		.ipsec = 132, .ring_iova = 80, .prefetch = 129, .bare = 1, .done_offset = 12, .done_mask = 1, .least = 64)

#if RTE_CACHE_LINE_SIZE == 128
#define MLX5_RX_ROWS(ROW) \
	ROW(MLX5_RX_22_11, 22, 11, 0, 22, 11, 9, .doorbell = 8, .port = 24, .armed = 32, .received = 40, \
		.refill = 48, .keys = 244, .elements = 264, .slots = 280, .pool = 296, .queue = 328, .fake = 512, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 56, .byte_mask = 52, .stats = 336, .completions = 44, .completion_bits = 32) \
	ROW(MLX5_RX_22_11_10, 22, 11, 10, 22, 11, 11, .doorbell = 8, .port = 24, .armed = 32, .received = 44, \
		.refill = 52, .keys = 252, .elements = 272, .slots = 288, .pool = 304, .queue = 336, .fake = 512, .cqes = 280, \
		.cq_doorbell = 16, .unpacked = 60, .byte_mask = 56, .stats = 344, .completions = 48, .completion_bits = 32) \
	ROW(MLX5_RX_23_03, 23, 3, 0, 23, 11, 1, .doorbell = 8, .port = 24, .armed = 32, .received = 40, \
		.refill = 44, .keys = 244, .elements = 264, .slots = 408, .pool = 648, .queue = 680, .fake = 768, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 52, .byte_mask = 48, .stats = 688, .completions = 4, .completion_bits = 0) \
	ROW(MLX5_RX_23_11_2, 23, 11, 2, 23, 11, 4, .doorbell = 8, .port = 6, .armed = 28, .received = 36, \
		.refill = 44, .keys = 244, .elements = 264, .slots = 408, .pool = 648, .queue = 680, .fake = 768, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 52, .byte_mask = 48, .stats = 688, .completions = 40, .completion_bits = 24) \
	ROW(MLX5_RX_23_11_5, 23, 11, 5, 23, 11, 7, .doorbell = 8, .port = 6, .armed = 28, .received = 40, \
		.refill = 48, .keys = 252, .elements = 272, .slots = 416, .pool = 648, .queue = 680, .fake = 768, .cqes = 280, \
		.cq_doorbell = 16, .unpacked = 56, .byte_mask = 52, .stats = 688, .completions = 44, .completion_bits = 24) \
	ROW(MLX5_RX_24_03, 24, 3, 0, 24, 3, 0, .doorbell = 8, .port = 24, .armed = 32, .received = 40, \
		.refill = 44, .keys = 244, .elements = 264, .slots = 408, .pool = 648, .queue = 680, .fake = 768, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 52, .byte_mask = 48, .stats = 688, .completions = 4, .completion_bits = 0) \
	ROW(MLX5_RX_24_07, 24, 7, 0, 24, 11, 2, .doorbell = 8, .port = 6, .armed = 28, .received = 36, \
		.refill = 44, .keys = 244, .elements = 264, .slots = 408, .pool = 648, .queue = 680, .fake = 768, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 52, .byte_mask = 48, .stats = 688, .completions = 40, .completion_bits = 24) \
	ROW(MLX5_RX_24_11_3, 24, 11, 3, 24, 11, 6, .doorbell = 8, .port = 6, .armed = 28, .received = 40, \
		.refill = 48, .keys = 252, .elements = 272, .slots = 416, .pool = 648, .queue = 680, .fake = 768, .cqes = 280, \
		.cq_doorbell = 16, .unpacked = 56, .byte_mask = 52, .stats = 688, .completions = 44, .completion_bits = 24) \
	ROW(MLX5_RX_25_03, 25, 3, 0, 25, 3, 0, .doorbell = 8, .port = 6, .armed = 28, .received = 36, \
		.refill = 44, .keys = 244, .elements = 264, .slots = 408, .pool = 648, .queue = 680, .fake = 896, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 52, .byte_mask = 48, .stats = 688, .completions = 40, .completion_bits = 24) \
	ROW(MLX5_RX_25_07, 25, 7, 0, 26, 7, 0, .doorbell = 8, .port = 6, .armed = 28, .received = 40, \
		.refill = 48, .keys = 252, .elements = 272, .slots = 416, .pool = 648, .queue = 680, .fake = 896, .cqes = 280, \
		.cq_doorbell = 16, .unpacked = 56, .byte_mask = 52, .stats = 688, .completions = 44, .completion_bits = 24)
#else
#define MLX5_RX_ROWS(ROW) \
	ROW(MLX5_RX_22_11, 22, 11, 0, 22, 11, 9, .doorbell = 8, .port = 24, .armed = 32, .received = 40, \
		.refill = 48, .keys = 244, .elements = 264, .slots = 280, .pool = 296, .queue = 328, .fake = 448, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 56, .byte_mask = 52, .stats = 336, .completions = 44, .completion_bits = 32) \
	ROW(MLX5_RX_22_11_10, 22, 11, 10, 22, 11, 11, .doorbell = 8, .port = 24, .armed = 32, .received = 44, \
		.refill = 52, .keys = 252, .elements = 272, .slots = 288, .pool = 304, .queue = 336, .fake = 448, .cqes = 280, \
		.cq_doorbell = 16, .unpacked = 60, .byte_mask = 56, .stats = 344, .completions = 48, .completion_bits = 32) \
	ROW(MLX5_RX_23_03, 23, 3, 0, 23, 11, 1, .doorbell = 8, .port = 24, .armed = 32, .received = 40, \
		.refill = 44, .keys = 244, .elements = 264, .slots = 344, .pool = 520, .queue = 552, .fake = 640, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 52, .byte_mask = 48, .stats = 560, .completions = 4, .completion_bits = 0) \
	ROW(MLX5_RX_23_11_2, 23, 11, 2, 23, 11, 4, .doorbell = 8, .port = 6, .armed = 28, .received = 36, \
		.refill = 44, .keys = 244, .elements = 264, .slots = 344, .pool = 520, .queue = 552, .fake = 640, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 52, .byte_mask = 48, .stats = 560, .completions = 40, .completion_bits = 24) \
	ROW(MLX5_RX_23_11_5, 23, 11, 5, 23, 11, 7, .doorbell = 8, .port = 6, .armed = 28, .received = 40, \
		.refill = 48, .keys = 252, .elements = 272, .slots = 352, .pool = 520, .queue = 552, .fake = 640, .cqes = 280, \
		.cq_doorbell = 16, .unpacked = 56, .byte_mask = 52, .stats = 560, .completions = 44, .completion_bits = 24) \
	ROW(MLX5_RX_24_03, 24, 3, 0, 24, 3, 0, .doorbell = 8, .port = 24, .armed = 32, .received = 40, \
		.refill = 44, .keys = 244, .elements = 264, .slots = 344, .pool = 520, .queue = 552, .fake = 640, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 52, .byte_mask = 48, .stats = 560, .completions = 4, .completion_bits = 0) \
	ROW(MLX5_RX_24_07, 24, 7, 0, 24, 11, 2, .doorbell = 8, .port = 6, .armed = 28, .received = 36, \
		.refill = 44, .keys = 244, .elements = 264, .slots = 344, .pool = 520, .queue = 552, .fake = 640, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 52, .byte_mask = 48, .stats = 560, .completions = 40, .completion_bits = 24) \
	ROW(MLX5_RX_24_11_3, 24, 11, 3, 24, 11, 6, .doorbell = 8, .port = 6, .armed = 28, .received = 40, \
		.refill = 48, .keys = 252, .elements = 272, .slots = 352, .pool = 520, .queue = 552, .fake = 640, .cqes = 280, \
		.cq_doorbell = 16, .unpacked = 56, .byte_mask = 52, .stats = 560, .completions = 44, .completion_bits = 24) \
	ROW(MLX5_RX_25_03, 25, 3, 0, 25, 3, 0, .doorbell = 8, .port = 6, .armed = 28, .received = 36, \
		.refill = 44, .keys = 244, .elements = 264, .slots = 344, .pool = 520, .queue = 552, .fake = 768, .cqes = 272, \
		.cq_doorbell = 16, .unpacked = 52, .byte_mask = 48, .stats = 560, .completions = 40, .completion_bits = 24) \
	ROW(MLX5_RX_25_07, 25, 7, 0, 26, 7, 0, .doorbell = 8, .port = 6, .armed = 28, .received = 40, \
		.refill = 48, .keys = 252, .elements = 272, .slots = 352, .pool = 520, .queue = 552, .fake = 768, .cqes = 280, \
		.cq_doorbell = 16, .unpacked = 56, .byte_mask = 52, .stats = 560, .completions = 44, .completion_bits = 24)
#endif

#if RTE_CACHE_LINE_SIZE == 128
#define MLX5_TX_ROWS(ROW) \
	ROW(MLX5_TX_22_11, 22, 11, 0, 22, 11, 1, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 392, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 40, .wqes = 248, .wqe_doorbell = 280, .stats = 336, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16512, .process = 56, \
		.registers = 8) \
	ROW(MLX5_TX_22_11_2, 22, 11, 2, 22, 11, 11, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 392, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 40, .wqes = 248, .wqe_doorbell = 280, .stats = 336, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16512, .process = 56, \
		.registers = 16) \
	ROW(MLX5_TX_23_03, 23, 3, 0, 23, 3, 0, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 392, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 44, .wqes = 248, .wqe_doorbell = 280, .stats = 336, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16512, .process = 56, \
		.registers = 16) \
	ROW(MLX5_TX_23_07, 23, 7, 0, 23, 7, 0, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 400, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 44, .wqes = 248, .wqe_doorbell = 280, .stats = 344, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16512, .process = 56, \
		.registers = 16) \
	ROW(MLX5_TX_23_11, 23, 11, 0, 23, 11, 7, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 400, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 44, .wqes = 248, .wqe_doorbell = 280, .stats = 344, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16640, .process = 72, \
		.registers = 16) \
	ROW(MLX5_TX_24_03, 24, 3, 0, 25, 3, 0, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 400, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 44, .wqes = 248, .wqe_doorbell = 280, .stats = 344, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16640, .process = 80, \
		.registers = 16) \
	ROW(MLX5_TX_25_07, 25, 7, 0, 26, 7, 0, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 272, .cqes = 280, .doorbell = 296, .port = 304, .queue = 306, \
		.slots = 408, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 44, .wqes = 256, .wqe_doorbell = 288, .stats = 352, .key_age = 72, .newest = 64, \
		.keys = 80, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16640, .process = 80, \
		.registers = 16)
#else
#define MLX5_TX_ROWS(ROW) \
	ROW(MLX5_TX_22_11, 22, 11, 0, 22, 11, 1, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 392, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 40, .wqes = 248, .wqe_doorbell = 280, .stats = 336, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16512, .process = 56, \
		.registers = 8) \
	ROW(MLX5_TX_22_11_2, 22, 11, 2, 22, 11, 11, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 392, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 40, .wqes = 248, .wqe_doorbell = 280, .stats = 336, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16512, .process = 56, \
		.registers = 16) \
	ROW(MLX5_TX_23_03, 23, 3, 0, 23, 3, 0, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 392, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 44, .wqes = 248, .wqe_doorbell = 280, .stats = 336, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16512, .process = 56, \
		.registers = 16) \
	ROW(MLX5_TX_23_07, 23, 7, 0, 23, 7, 0, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 400, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 44, .wqes = 248, .wqe_doorbell = 280, .stats = 344, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16512, .process = 56, \
		.registers = 16) \
	ROW(MLX5_TX_23_11, 23, 11, 0, 23, 11, 7, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 400, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 44, .wqes = 248, .wqe_doorbell = 280, .stats = 344, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16576, .process = 72, \
		.registers = 16) \
	ROW(MLX5_TX_24_03, 24, 3, 0, 25, 3, 0, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 264, .cqes = 272, .doorbell = 288, .port = 296, .queue = 298, \
		.slots = 400, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 44, .wqes = 248, .wqe_doorbell = 280, .stats = 344, .key_age = 64, .newest = 56, \
		.keys = 72, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16576, .process = 80, \
		.registers = 16) \
	ROW(MLX5_TX_25_07, 25, 7, 0, 26, 7, 0, .head = 0, .tail = 2, .size = 6, .mask = 8, .freed_wqe = 12, \
		.done = 22, .owner = 26, .cqe_mask = 28, .heads = 272, .cqes = 280, .doorbell = 296, .port = 304, .queue = 306, \
		.slots = 408, .wqe_size = 14, .wqe_mask = 16, .asked = 4, .wqe_next = 10, .cqe_next = 24, .inline_send = 34, \
		.inline_least = 38, .number = 44, .wqes = 256, .wqe_doorbell = 288, .stats = 352, .key_age = 72, .newest = 64, \
		.keys = 80, .key_bytes = 20, .flags = 32, .unbuffered = 1, .heuristic = 2, .port_bytes = 16576, .process = 80, \
		.registers = 16)
#endif

#define VIRTIO_ROWS(ROW) \
	ROW(VIRTIO_22_11, 22, 11, 0, 22, 11, 11, .hw = 0, .num = 8, .desc = 16, .avail = 24, .used = 32, .wrap = 40, \
		.flags = 42, .used_next = 48, .size = 50, .open = 52, .avail_next = 54, .thresh = 56, .head = 58, .tail = 60, \
		.index = 62, .address = 76, .queue = 80, .rx_fake = 80, .rx_rearm = 88, .rx_pool = 96, .rx_queue = 104, \
		.rx_port = 106, .rx_stats = 112, .tx_queue = 96, .tx_port = 98, .tx_stats = 104, .slots = 240, .entries = 248, \
		.queues = 0, .features = 8, .header = 16, .started = 18, .weak = 19, .vector_rx = 24, .vector_tx = 25) \
	ROW(VIRTIO_23_03, 23, 3, 0, 23, 7, 0, .hw = 0, .num = 8, .desc = 16, .avail = 24, .used = 32, .wrap = 40, \
		.flags = 42, .used_next = 48, .size = 50, .open = 52, .avail_next = 54, .thresh = 56, .head = 58, .tail = 60, \
		.index = 62, .address = 76, .queue = 80, .rx_fake = 88, .rx_rearm = 96, .rx_pool = 104, .rx_queue = SHIM_NONE, \
		.rx_port = SHIM_NONE, .rx_stats = 112, .tx_queue = SHIM_NONE, .tx_port = SHIM_NONE, .tx_stats = 96, \
		.slots = 80, .entries = 240, .queues = 0, .features = 8, .header = 16, .started = 18, .weak = 19, \
		.vector_rx = 24, .vector_tx = 25) \
	ROW(VIRTIO_23_11, 23, 11, 0, 24, 3, 0, .hw = 0, .num = 8, .desc = 16, .avail = 24, .used = 32, .wrap = 40, \
		.flags = 42, .used_next = 48, .size = 50, .open = 52, .avail_next = 54, .thresh = 56, .head = 58, .tail = 60, \
		.index = 62, .address = 76, .queue = 88, .rx_fake = 96, .rx_rearm = 104, .rx_pool = 112, \
		.rx_queue = SHIM_NONE, .rx_port = SHIM_NONE, .rx_stats = 120, .tx_queue = SHIM_NONE, .tx_port = SHIM_NONE, \
		.tx_stats = 104, .slots = 88, .entries = 248, .queues = 0, .features = 8, .header = 16, .started = 18, \
		.weak = 19, .vector_rx = 24, .vector_tx = 25) \
	ROW(VIRTIO_24_07, 24, 7, 0, 24, 11, 6, .hw = 0, .num = 8, .desc = 24, .avail = 32, .used = 40, .wrap = 48, \
		.flags = 50, .used_next = 56, .size = 58, .open = 60, .avail_next = 62, .thresh = 64, .head = 66, .tail = 68, \
		.index = 70, .address = 84, .queue = 96, .rx_fake = 104, .rx_rearm = 112, .rx_pool = 120, \
		.rx_queue = SHIM_NONE, .rx_port = SHIM_NONE, .rx_stats = 128, .tx_queue = SHIM_NONE, .tx_port = SHIM_NONE, \
		.tx_stats = 112, .slots = 96, .entries = 256, .queues = 0, .features = 8, .header = 16, .started = 18, \
		.weak = 19, .vector_rx = 24, .vector_tx = 25) \
	ROW(VIRTIO_25_03, 25, 3, 0, 26, 7, 0, .hw = 0, .num = 8, .desc = 24, .avail = 32, .used = 40, .wrap = 48, \
		.flags = 50, .used_next = 56, .size = 58, .open = 60, .avail_next = 62, .thresh = 64, .head = 66, .tail = 68, \
		.index = 70, .address = 84, .queue = 96, .rx_fake = 104, .rx_rearm = 112, .rx_pool = 120, \
		.rx_queue = SHIM_NONE, .rx_port = SHIM_NONE, .rx_stats = 128, .tx_queue = SHIM_NONE, .tx_port = SHIM_NONE, \
		.tx_stats = 112, .slots = 96, .entries = 256, .queues = 0, .features = 8, .header = 16, .started = 18, \
		.weak = 19, .vector_rx = 25, .vector_tx = 26)

#if RTE_CACHE_LINE_SIZE == 128
#define ETHDEV_ROWS(ROW) \
	ROW(ETHDEV_22_11, 22, 11, 0, 22, 11, 11, .rx_burst = 0, .data = 48, .ops = 64, .reuse = SHIM_NONE, \
		.refill = SHIM_NONE, .port_bytes = 16512, .port = 3440, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 904, \
		.dev_start = 8, .dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 328, \
		.rx_queue_release = 336, .rx_queue_start = 296, .rx_queue_stop = 304, .tx_queue_setup = 360, \
		.tx_queue_release = 368, .tx_queue_start = 312, .tx_queue_stop = 320, .recycle_rxq_info_get = SHIM_NONE) \
	ROW(ETHDEV_23_03, 23, 3, 0, 23, 7, 0, .rx_burst = 0, .data = 48, .ops = 64, .reuse = SHIM_NONE, \
		.refill = SHIM_NONE, .port_bytes = 16512, .port = 3440, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 920, \
		.dev_start = 8, .dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 328, \
		.rx_queue_release = 336, .rx_queue_start = 296, .rx_queue_stop = 304, .tx_queue_setup = 360, \
		.tx_queue_release = 368, .tx_queue_start = 312, .tx_queue_stop = 320, .recycle_rxq_info_get = SHIM_NONE) \
	ROW(ETHDEV_23_11, 23, 11, 0, 23, 11, 7, .rx_burst = 0, .data = 64, .ops = 80, .reuse = 48, .refill = 56, \
		.port_bytes = 16640, .port = 3448, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 928, .dev_start = 8, \
		.dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 336, .rx_queue_release = 344, \
		.rx_queue_start = 304, .rx_queue_stop = 312, .tx_queue_setup = 368, .tx_queue_release = 376, \
		.tx_queue_start = 320, .tx_queue_stop = 328, .recycle_rxq_info_get = 216) \
	ROW(ETHDEV_24_03, 24, 3, 0, 24, 7, 0, .rx_burst = 0, .data = 72, .ops = 88, .reuse = 56, .refill = 64, \
		.port_bytes = 16640, .port = 3448, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 928, .dev_start = 8, \
		.dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 336, .rx_queue_release = 344, \
		.rx_queue_start = 304, .rx_queue_stop = 312, .tx_queue_setup = 368, .tx_queue_release = 376, \
		.tx_queue_start = 320, .tx_queue_stop = 328, .recycle_rxq_info_get = 216) \
	ROW(ETHDEV_24_11, 24, 11, 0, 24, 11, 6, .rx_burst = 0, .data = 72, .ops = 88, .reuse = 56, .refill = 64, \
		.port_bytes = 16640, .port = 3448, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 968, .dev_start = 8, \
		.dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 360, .rx_queue_release = 368, \
		.rx_queue_start = 328, .rx_queue_stop = 336, .tx_queue_setup = 392, .tx_queue_release = 400, \
		.tx_queue_start = 344, .tx_queue_stop = 352, .recycle_rxq_info_get = 240) \
	ROW(ETHDEV_25_03, 25, 3, 0, 26, 3, 0, .rx_burst = 0, .data = 72, .ops = 88, .reuse = 56, .refill = 64, \
		.port_bytes = 16640, .port = 3448, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 992, .dev_start = 8, \
		.dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 360, .rx_queue_release = 368, \
		.rx_queue_start = 328, .rx_queue_stop = 336, .tx_queue_setup = 392, .tx_queue_release = 400, \
		.tx_queue_start = 344, .tx_queue_stop = 352, .recycle_rxq_info_get = 240) \
	ROW(ETHDEV_26_07, 26, 7, 0, 26, 7, 0, .rx_burst = 0, .data = 72, .ops = 88, .reuse = 56, .refill = 64, \
		.port_bytes = 16640, .port = 3448, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 1000, .dev_start = 8, \
		.dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 360, .rx_queue_release = 368, \
		.rx_queue_start = 328, .rx_queue_stop = 336, .tx_queue_setup = 392, .tx_queue_release = 400, \
		.tx_queue_start = 344, .tx_queue_stop = 352, .recycle_rxq_info_get = 240)
#else
#define ETHDEV_ROWS(ROW) \
	ROW(ETHDEV_22_11, 22, 11, 0, 22, 11, 11, .rx_burst = 0, .data = 48, .ops = 64, .reuse = SHIM_NONE, \
		.refill = SHIM_NONE, .port_bytes = 16512, .port = 3440, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 904, \
		.dev_start = 8, .dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 328, \
		.rx_queue_release = 336, .rx_queue_start = 296, .rx_queue_stop = 304, .tx_queue_setup = 360, \
		.tx_queue_release = 368, .tx_queue_start = 312, .tx_queue_stop = 320, .recycle_rxq_info_get = SHIM_NONE) \
	ROW(ETHDEV_23_03, 23, 3, 0, 23, 7, 0, .rx_burst = 0, .data = 48, .ops = 64, .reuse = SHIM_NONE, \
		.refill = SHIM_NONE, .port_bytes = 16512, .port = 3440, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 920, \
		.dev_start = 8, .dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 328, \
		.rx_queue_release = 336, .rx_queue_start = 296, .rx_queue_stop = 304, .tx_queue_setup = 360, \
		.tx_queue_release = 368, .tx_queue_start = 312, .tx_queue_stop = 320, .recycle_rxq_info_get = SHIM_NONE) \
	ROW(ETHDEV_23_11, 23, 11, 0, 23, 11, 7, .rx_burst = 0, .data = 64, .ops = 80, .reuse = 48, .refill = 56, \
		.port_bytes = 16576, .port = 3448, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 928, .dev_start = 8, \
		.dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 336, .rx_queue_release = 344, \
		.rx_queue_start = 304, .rx_queue_stop = 312, .tx_queue_setup = 368, .tx_queue_release = 376, \
		.tx_queue_start = 320, .tx_queue_stop = 328, .recycle_rxq_info_get = 216) \
	ROW(ETHDEV_24_03, 24, 3, 0, 24, 7, 0, .rx_burst = 0, .data = 72, .ops = 88, .reuse = 56, .refill = 64, \
		.port_bytes = 16576, .port = 3448, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 928, .dev_start = 8, \
		.dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 336, .rx_queue_release = 344, \
		.rx_queue_start = 304, .rx_queue_stop = 312, .tx_queue_setup = 368, .tx_queue_release = 376, \
		.tx_queue_start = 320, .tx_queue_stop = 328, .recycle_rxq_info_get = 216) \
	ROW(ETHDEV_24_11, 24, 11, 0, 24, 11, 6, .rx_burst = 0, .data = 72, .ops = 88, .reuse = 56, .refill = 64, \
		.port_bytes = 16576, .port = 3448, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 968, .dev_start = 8, \
		.dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 360, .rx_queue_release = 368, \
		.rx_queue_start = 328, .rx_queue_stop = 336, .tx_queue_setup = 392, .tx_queue_release = 400, \
		.tx_queue_start = 344, .tx_queue_stop = 352, .recycle_rxq_info_get = 240) \
	ROW(ETHDEV_25_03, 25, 3, 0, 26, 3, 0, .rx_burst = 0, .data = 72, .ops = 88, .reuse = 56, .refill = 64, \
		.port_bytes = 16576, .port = 3448, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 992, .dev_start = 8, \
		.dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 360, .rx_queue_release = 368, \
		.rx_queue_start = 328, .rx_queue_stop = 336, .tx_queue_setup = 392, .tx_queue_release = 400, \
		.tx_queue_start = 344, .tx_queue_stop = 352, .recycle_rxq_info_get = 240) \
	ROW(ETHDEV_26_07, 26, 7, 0, 26, 7, 0, .rx_burst = 0, .data = 72, .ops = 88, .reuse = 56, .refill = 64, \
		.port_bytes = 16576, .port = 3448, .rx_queues = 64, .tx_queues = 72, .ops_bytes = 1000, .dev_start = 8, \
		.dev_stop = 16, .dev_close = 40, .dev_reset = 48, .rx_queue_setup = 360, .rx_queue_release = 368, \
		.rx_queue_start = 328, .rx_queue_stop = 336, .tx_queue_setup = 392, .tx_queue_release = 400, \
		.tx_queue_start = 344, .tx_queue_stop = 352, .recycle_rxq_info_get = 240)
#endif
/* clang-format on */
