/* What the engine extbuf needs of the ports before it starts, and what it decided. */
#pragma once

struct err;
struct run;

/*
 * Let all ports receive into external memory when the next run is extbuf's with mode pinned, else into the ordinary pools again: started ports are
 * stopped and started for that. Nothing when it is so already. Errors: of memory, of ports; the ports are as before. Thread: control, all of this file.
 */
int run_extbuf_prepare(struct run *r, struct err *e);

/* Answer `show extbuf`: mode, memory, buffers, threshold and its costs, per stream of this run or the last. ENOENT when there is none. */
int run_extbuf_show(const struct run *r, struct err *e);
