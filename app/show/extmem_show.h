/* Show external memory: size, pages, addresses, devices that map it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct args;
struct err;

/* `show extmem [<name>]`: one region, or all. JSON: {"extmem":[...]}. ENOENT. Thread: control. */
int extmem_show(struct app *app, const struct args *a, struct err *e);
