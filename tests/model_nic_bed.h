/* A modelled NIC of any family without a driver, a trap or traffic: what the plugin would have done is counted, registers are used by hand. */
#pragma once

#include "model_nic/model.h"
#include "model_nic/model_nic.h"

enum { BED_ROOM = 2048 }; /* in a packet buffer */

extern struct model bed;

/* What the plugin would have done. */
extern unsigned bed_interrupts, bed_enabled, bed_disabled;
extern bool bed_watched;
extern char bed_log[256]; /* the last line of level 0 or 1 */
extern struct model_nic_report bed_report;

/* Room for the largest ring of either kind, page aligned. */
extern uint8_t *bed_rx_desc, *bed_tx_desc;

/* Power a family on and off. */
void bed_power_on(const struct model_family *family);
void bed_power_off(void);

/* Zeroed, page aligned. The caller frees. */
void *bed_zeroed(size_t bytes);

/* As the driver does it. */
uint32_t bed_read(uint32_t offset);
void bed_write(uint32_t offset, uint32_t value);

/* The two halves of descriptor i, or four quarters. */
uint64_t *bed_quads(const struct ring *r, unsigned i);

/* The address that the tests put into descriptor i. */
uint64_t bed_buffer_of(unsigned i);

/* Descriptors up to this one are the NIC's. */
void bed_tail(const struct ring *r, unsigned at);

/* Microsoft's key, and a packet of which its hashes are known: 66.9.149.187 to 161.142.100.80 (or IPv6), ports 2794 to 1766. Returns bytes at p, of 128. */
extern const uint8_t bed_known_key[52];
uint32_t bed_packet(uint8_t *p, bool vlan, bool ipv6, uint8_t protocol);
