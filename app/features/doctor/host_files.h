/* Read what the kernel tells of a host in /proc and /sys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dirent;
struct text;

/* All functions: root is the folder in front of /proc and /sys; "" is this host. Thread: any. */

/* Read a file's first line, without its newline. Returns false if it cannot be read. */
bool host_line(const char *root, const char *path, char *line, size_t size);

/* Read a number. Returns false if the file cannot be read or does not begin with one. */
bool host_number(const char *root, const char *path, uint64_t *n);

/*
 * Read a list of CPUs, "0,2-3"; CPUs beyond CPU_SETSIZE are left out. Returns false if the file
 * cannot be read; a line that is no list, such as "(null)", is an empty one.
 */
bool host_cpus(const char *root, const char *path, cpu_set_t *cpus);

/*
 * The largest exit latency of the idle states that a CPU may enter, in microseconds, and the state's
 * name. Returns false if the CPU has no idle states.
 */
bool host_sleep(const char *root, unsigned int cpu, uint64_t *latency_us, char *name, size_t size);

/* Count the interrupts that may arrive on these CPUs. Returns false if that cannot be read. */
bool host_interrupts(const char *root, const cpu_set_t *cpus, unsigned int *n);

/*
 * How much of a CPU's time the hypervisor has taken since the boot, in thousandths. Returns false if
 * the CPU is not there.
 */
bool host_stolen(const char *root, unsigned int cpu, double *thousandths);

/* Return whether there is such a file or folder. */
bool host_there(const char *root, const char *path);

/* Write the last part of a link's target: of a device's link "driver" its driver. Returns false if there is no link. */
bool host_link(const char *root, const char *path, char *name, size_t size);

/*
 * List a folder's entries in the order of their names, without those that begin with a dot. Returns
 * their number, 0 if the folder cannot be read; free names with host_names_free().
 */
unsigned int host_names(const char *root, const char *path, struct dirent ***names);
void host_names_free(struct dirent **names, unsigned int n);

/*
 * Call f for each line of a file until it returns true. Returns whether it did; false also if the
 * file cannot be read. Lines are cut at 511 characters.
 */
bool host_lines(const char *root, const char *path, bool (*f)(const char *line, void *context),
	void *context);

/* Append CPUs as a list, "0,2-3". */
void host_cpus_add(struct text *t, const cpu_set_t *cpus);
