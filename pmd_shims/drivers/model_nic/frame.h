/* A frame between a ring and the wire. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* The contents of a descriptor: a packet, or a segment of one. 32 bytes. */
struct frame {
	uint8_t *data;   /* in the application's memory (IOVA is VA) */
	uint32_t len;    /* bytes at data; for an armed buffer: its room */
	uint32_t rss;    /* Rx: hash, if FRAME_RSS is set */
	uint16_t flags;  /* FRAME_* */
	uint16_t vlan;   /* tag that was stripped (Rx) or is to be inserted (Tx) */
	uint16_t l2_len; /* Tx offloads: bytes of each header */
	uint16_t l3_len;
	uint16_t l4_len;
	uint16_t mss;        /* Tx: payload of a TSO segment; 0: no TSO */
	uint16_t vlan_inner; /* Rx: the second tag that was stripped, if FRAME_VLAN_INNER is set */
};

enum frame_flag {
	FRAME_EOP = 1 << 0,  /* the packet's last segment */
	FRAME_VLAN = 1 << 1, /* vlan is valid */
	FRAME_IPV4 = 1 << 2,
	FRAME_IPV6 = 1 << 3,
	FRAME_TCP = 1 << 4,
	FRAME_UDP = 1 << 5,
	FRAME_RSS = 1 << 6,
	FRAME_BAD_L3 = 1 << 7,   /* Rx: wrong IPv4 header checksum */
	FRAME_BAD_L4 = 1 << 8,   /* Rx: wrong TCP/UDP checksum */
	FRAME_ERROR = 1 << 9,    /* Rx: MAC error (CRC, length) in the descriptor */
	FRAME_CSUM_L3 = 1 << 10, /* Tx: to be computed by the NIC */
	FRAME_CSUM_L4 = 1 << 11,
	FRAME_CSUM_OUTER = 1 << 12, /* Tx: compute that of the outer IPv4 header of a tunnel */
	FRAME_PTP = 1 << 13,        /* Rx: an IEEE 1588 message on Ethernet */
	/* Rx: the card has its time of arrival; Tx: the card has to store its time of sending */
	FRAME_STAMPED = 1 << 14,
	FRAME_VLAN_INNER = 1 << 15, /* Rx: two tags were stripped; vlan is the outer one */
};
