/* Long answers on a terminal, one screen at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/pager.h"

#include "base/interrupt.h"
#include "base/terminal.h"

#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"
#define KEYS_COLUMNS 60 /* a narrower terminal has no room for the list of keys */
#define CTRL_C 3
#define ESCAPE 27
#define END (-1) /* no key: a signal, or the end of the input */

struct pager {
	FILE *to;
	struct interrupt *interrupt;
	const char *at, *end; /* what is not written yet */
	unsigned int columns, rows;
	char word[128];   /* searched last */
	const char *note; /* in front of the list of keys; NULL: none */
};

/* Where the line at text ends, its newline included. */
static const char *
line_end(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));

	return newline != NULL ? newline + 1 : end;
}

/* Rows of the screen that a line takes; a character takes a column. */
static unsigned int
rows_of(const struct pager *p, const char *line, const char *end)
{
	unsigned int column = 0;

	for (; line < end && *line != '\n'; line++) {
		if (*line == '\t')
			column += 8 - column % 8;
		else if (*line == '\r')
			column = 0;
		else if ((*line & 0xc0) != 0x80) /* not inside a UTF-8 sequence */
			column++;
	}
	return column == 0 ? 1 : (column - 1) / p->columns + 1;
}

static bool
fits(const struct pager *p)
{
	const char *line, *end;
	unsigned int rows = 0;

	for (line = p->at; line < p->end && rows < p->rows; line = end) {
		end = line_end(line, p->end);
		rows += rows_of(p, line, end);
	}
	return rows < p->rows;
}

/* Write lines for so many rows, one line at least. */
static void
lines_write(struct pager *p, unsigned int rows)
{
	unsigned int used = 0;

	while (p->at < p->end) {
		const char *end = line_end(p->at, p->end);

		used += rows_of(p, p->at, end);
		if (used > rows && used > rows_of(p, p->at, end))
			return;
		fwrite(p->at, 1, (size_t)(end - p->at), p->to);
		p->at = end;
	}
}

static int
key_read(const struct pager *p)
{
	unsigned char key;

	interrupt_wait(p->interrupt, STDIN_FILENO, -1);
	if (interrupt_pending(p->interrupt) || read(STDIN_FILENO, &key, 1) != 1)
		return END;
	return key;
}

static bool
key_waits(void)
{
	struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };

	return poll(&fd, 1, 0) > 0;
}

/* The key that an escape sequence stands for: down is a line, page down a page. */
static int
escape_read(const struct pager *p)
{
	int key = ESCAPE, last = ESCAPE;

	while (key_waits() && (key = key_read(p)) != END) {
		if (key == 'B')
			return '\n';
		if (key == '~')
			return last == '6' ? ' ' : ESCAPE;
		if (key != '[' && key != 'O' && (key < '0' || key > '9'))
			return ESCAPE;
		last = key;
	}
	return key == END ? END : ESCAPE;
}

static int
ask(struct pager *p, size_t all)
{
	const size_t written = all - (size_t)(p->end - p->at);
	int key;

	fprintf(p->to, "-- %s%zu %%%s --", p->note != NULL ? p->note : "", 100 * written / all,
		p->columns < KEYS_COLUMNS ? "" : ": space page, enter line, /WORD search, q quit");
	p->note = NULL;
	fflush(p->to);
	key = key_read(p);
	if (key == ESCAPE)
		key = escape_read(p);
	fputs(CLEAR_LINE, p->to);
	return key;
}

/* Read the word behind "/" into p->word; an empty one keeps the last. Returns END, or 0. */
static int
word_read(struct pager *p)
{
	char word[sizeof(p->word)];
	size_t n = 0;
	int key;

	for (;;) {
		word[n] = '\0';
		fprintf(p->to, CLEAR_LINE "/%s", word);
		fflush(p->to);
		key = key_read(p);
		if (key == END || key == '\n' || key == '\r')
			break;
		if (key == ESCAPE || key == CTRL_C) {
			n = 0;
			break;
		}
		if ((key == '\b' || key == 127) && n > 0)
			n--;
		else if (key >= ' ' && key != 127 && n + 1 < sizeof(word))
			word[n++] = (char)key;
	}
	word[n] = '\0';
	fputs(CLEAR_LINE, p->to);
	if (n > 0)
		memcpy(p->word, word, sizeof(p->word));
	return key == END ? END : 0;
}

/* Go on at the next line that has the word. False when none has. */
static bool
search(struct pager *p)
{
	const char *line, *end;

	for (line = p->at; p->word[0] != '\0' && line < p->end; line = end) {
		const char *found = strcasestr(line, p->word);

		if (found == NULL)
			break;
		end = line_end(line, p->end);
		if (found >= end)
			continue;
		if (line > p->at)
			fputs("...\n", p->to);
		p->at = line;
		return true;
	}
	p->note = "not found: ";
	return false;
}

/* Do what a key asks for. False: leave. */
static bool
obey(struct pager *p, int key)
{
	switch (key) {
	case ' ':
	case 'f': lines_write(p, p->rows - 1); return true;
	case '\n':
	case '\r':
	case 'j': lines_write(p, 1); return true;
	case '/':
		if (word_read(p) == END)
			return false;
		/* fall through */
	case 'n':
		if (search(p))
			lines_write(p, p->rows - 2);
		return true;
	case 'q':
	case 'Q':
	case CTRL_C:
	case END: return false;
	default: return true;
	}
}

void
pager_show(const char *text, size_t n, FILE *to, struct interrupt *interrupt)
{
	struct pager p = { .to = to, .interrupt = interrupt, .at = text, .end = text + n };
	struct terminal_screen screen;

	if (!terminal_size(to, &p.columns, &p.rows) || p.rows < 3 || fits(&p) || key_waits() ||
		!terminal_clears(to) || !terminal_screen_begin(&screen, STDIN_FILENO)) {
		fwrite(text, 1, n, to);
		return;
	}
	lines_write(&p, p.rows - 1);
	while (p.at < p.end) {
		const int key = ask(&p, n);

		/* it may have become another one meanwhile */
		terminal_size(to, &p.columns, &p.rows);
		if (!obey(&p, key))
			break;
	}
	fflush(to);
	terminal_screen_end(&screen);
}
