/* Capture files as a stream for libpcap: unpacked, and of pcapng the packets of Ethernet interfaces. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* Packets of a pcapng file that its stream leaves out: of interfaces that are not Ethernet. */
struct replay_foreign {
	uint64_t packets;
	uint16_t link_type; /* of the first such interface, as pcapng numbers them; 0: none */
};

/*
 * Return a stream of what a file contains, compressed by gzip or not. libpcap refuses a pcapng file
 * whose interfaces differ in their link type or snapshot length; so those of the stream are all
 * Ethernet, without limit, and packets of others are left out and counted in *foreign. Closing it
 * closes the file; so does a failure, which is NULL and errno. foreign stays valid until then.
 */
FILE *replay_stream(FILE *file, struct replay_foreign *foreign);
