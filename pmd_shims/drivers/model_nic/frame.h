/* A frame on its way between a ring and the wire. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* What one descriptor carries: a packet, or a segment of one. 32 bytes. */
struct frame {
	uint8_t *data;   /* in the application's memory (IOVA is VA) */
	uint32_t len;    /* bytes at data; of an armed buffer: the room */
	uint32_t rss;    /* Rx: hash, where FRAME_RSS is set */
	uint16_t flags;  /* FRAME_* */
	uint16_t vlan;   /* tag stripped on Rx or to be inserted on Tx */
	uint16_t l2_len; /* Tx offloads: bytes */
	uint16_t l3_len;
	uint16_t l4_len;
	uint16_t mss; /* Tx: TSO segment, 0: none */
};

enum frame_flag {
	FRAME_EOP = 1 << 0,  /* the packet's last segment */
	FRAME_VLAN = 1 << 1, /* vlan is meant */
	FRAME_IPV4 = 1 << 2,
	FRAME_IPV6 = 1 << 3,
	FRAME_TCP = 1 << 4,
	FRAME_UDP = 1 << 5,
	FRAME_RSS = 1 << 6,
	FRAME_BAD_L3 = 1 << 7,   /* Rx: IPv4 header checksum wrong */
	FRAME_BAD_L4 = 1 << 8,   /* Rx: TCP/UDP checksum wrong */
	FRAME_ERROR = 1 << 9,    /* Rx: MAC error (CRC, length) in the descriptor */
	FRAME_CSUM_L3 = 1 << 10, /* Tx: to be computed by the NIC */
	FRAME_CSUM_L4 = 1 << 11,
	FRAME_CSUM_OUTER = 1 << 12, /* Tx: of the IPv4 header before a tunnel */
	FRAME_PTP = 1 << 13,        /* Rx: a message of IEEE 1588 on Ethernet */
	/* Rx: the card has its time of arrival; Tx: it is to keep the time when it goes */
	FRAME_STAMPED = 1 << 14,
};
