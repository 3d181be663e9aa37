/* What the engine extbuf needs of the ports before it starts, and what it decided. */
#pragma once

#include <stdbool.h>

struct err;
struct run;

/*
 * Let all ports receive into external memory when the next run is extbuf's with mode pinned, else
 * into the ordinary pools again: started ports are stopped and started for that. Nothing when it is
 * so already. Errors: of memory, of ports; the ports are as before. Thread: control, all of this
 * file.
 */
int run_extbuf_prepare(struct run *r, struct err *e);

/*
 * The beginning: run_extbuf_prepare(), port_begin(). forgiving: where external memory will not do,
 * ports begin with their usual pools, a warning says why, and extbuf's start will say so again.
 * Errors: of both.
 */
int run_extbuf_begin(struct run *r, bool forgiving, struct err *e);

/*
 * Answer `show extbuf`: mode, memory, buffers, threshold and its costs, per stream of this run or
 * the last. ENOENT when there is none.
 */
int run_extbuf_show(const struct run *r, struct err *e);
