/* Print log lines of other threads and of drivers while a line is edited on the same terminal. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct editor_log;

/*
 * Redirect the stream of rte_log() until editor_log_close(). NULL if stderr is not the terminal of
 * stdout: then the log is written to stderr as before. The functions below accept NULL and do
 * nothing. Thread: the one that edits, for all of this file; any thread may log.
 */
struct editor_log *editor_log_open(void);

/* Restore the stream of rte_log(). */
void editor_log_close(struct editor_log *log);

/*
 * The line that is edited is on the screen from here on: cursor and end are columns from its
 * prompt's first one, columns is the terminal's width. A log line clears it from the screen first.
 */
void editor_log_shown(struct editor_log *log, size_t cursor, size_t end, size_t columns);

/* The line was entered or cleared: log lines are printed directly. */
void editor_log_hidden(struct editor_log *log);

/* Readable when a log line has cleared the edited line; -1 for NULL. */
int editor_log_fd(const struct editor_log *log);

/*
 * Return true once after log lines have cleared the edited line: the cursor is then at the start of
 * an empty row, and the caller draws the line again.
 */
bool editor_log_cleared(struct editor_log *log);
