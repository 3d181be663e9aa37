/* Ethdev events and kernel hotplug events: stored by the interrupt thread, printed by the control
 * thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

/*
 * Register for the events of all ports, unless that is done, and look 4 times per second whether the
 * cards of started ports are there; end both. Thread: control, all of this file unless stated
 * otherwise.
 */
void port_events_listen(struct ports *ps);
void port_events_ignore(struct ports *ps);

/* A port starts: note whether the watch can see its card in /sys. The caller holds reading. */
void port_events_watch(struct port *p);

/*
 * Wait until handlers of interrupts that have arrived have returned. Before a port is closed:
 * net_e1000_em and net_e1000_igb do not wait for theirs, which then reads memory of the closed port.
 */
void port_events_settle(const struct port *p);

/* Print the events of a port since the last call ("Port 0: link state change event"). */
void port_events_say(struct ports *ps, uint16_t id);

/* Remove ports whose ethdev is gone from the table, and print "Port 0 is closed". */
void port_events_closed(struct ports *ps);

/*
 * Set whether events of a kind ("intr_lsc", "vf_mbox", ..., "all") are printed, for --print-event
 * and --mask-event. Default: all except VF messages, probe, release and thresholds. Returns -EINVAL
 * with the list of kinds in e if word is not one of them.
 */
int port_events_tell(struct ports *ps, const char *word, bool tell, struct err *e);

/*
 * Start monitoring kernel hotplug events if the setting hot-plug is on; port_handle_events() then
 * detaches removed devices. Errors: of EAL.
 */
int port_events_hotplug_begin(struct ports *ps, struct err *e);

/*
 * The device of a port was removed: print a line, let its bursts neither receive nor send, and let
 * port_handle_events() detach it once no workers run. Later calls do nothing until then. Thread: any.
 */
void port_events_removed(struct ports *ps, uint16_t id);

/*
 * True if the device in this folder of /sys/bus/pci/devices/ is gone: without its file config, or with
 * one that reads as ones, as a slot does that is empty.
 */
bool port_events_slot_empty(const char *folder);

/* Stop monitoring kernel hotplug events. */
void port_events_hotplug_end(struct ports *ps);
