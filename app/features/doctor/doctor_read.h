/* Read how the program uses its host, for doctor: lcores, ports, and what their drivers report. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct doctor_use;

/* Fill *use, which is all zero. Asks drivers, but changes nothing. Thread: control. */
void doctor_read(const struct app *app, struct doctor_use *use);
