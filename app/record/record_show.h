/* Show the state of a recording, active or ended. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;
struct record;

/*
 * Print show record: files and their sizes, runs, lines, lost polls, and the error that ended the
 * recording, if any. Returns 0. Thread: control.
 */
int record_show(struct record *rec, struct out *o, struct err *e);
