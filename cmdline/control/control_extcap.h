/* zcfwd extcap: Wireshark captures from ports of programs with a control socket. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;

/*
 * Do what Wireshark's extcap asks for in argv[0..argc): list ports, link types and options, check a
 * filter, or capture to its FIFO as control_tap_run() does. Words that are not known are ignored, since
 * later versions have more. Returns 0, or -errno with e filled: EINVAL the arguments; those of
 * control_tap_run(). Thread: main. Source: extcap(4) of Wireshark.
 */
int control_extcap(int argc, char **argv, struct out *out, struct err *e);
