/* Lines from a terminal: editing, history, completion, ? help, all on libedit. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: a line is edited on a terminal to which others write as well. Drivers and other
 * threads log at any moment, the window changes its width, and a signal has to end the wait for a
 * key, while only one thread may call the library that draws the line.
 *
 * The idea: libedit edits, and this file does its waiting. libedit asks read_char() for each
 * character, so there is one place that sleeps: the poll() in read_byte(), on signals, the terminal
 * and the log. What happened meanwhile is dealt with there, between two keys, when libedit's state
 * is whole. After a log line, which has cleared the edited one, libedit draws it again. A new width
 * is passed on. The interrupt key makes it forget the line. So no signal handler and no other thread
 * calls libedit. A thread that logs knows of the line only its columns: those up to the cursor, up
 * to the end, and of the terminal, which tell_log() stores before each wait (editor_log.h).
 *
 * Completion and ? know no command. Both cut the line at the cursor and ask the shell what may
 * follow (shell_offer()), or that of another program (control_attach.c). So a new command is completed
 * as soon as its row exists.
 *
 * Only time distinguishes a person from a program: a key was typed if none follows within
 * AT_ONCE_MS. Pasted lines and programs write many at once. Answers stop after each page for a
 * person only; a program would wait for the next one for ever.
 *
 * Why not readline: its licence is not that of this program. Why not DPDK's cmdline library: it
 * completes only what its own tables describe, and keeps no history between sessions. Why not give
 * the terminal its old mode back while a command runs: the kernel would print what is typed ahead,
 * and the next prompt once more.
 *
 * Limits: lines have [0, LINE_BYTES) bytes; longer ones are refused. A new width has an effect while
 * nothing is typed, and before the next line; libedit would keep the cursor in a row that the new
 * screen may not have. Bytes that are no character in the locale are left out.
 */
#include "cmdline/shell/editor.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/text.h"
#include "cmdline/shell/editor_log.h"
#include "cmdline/shell/histfile.h"
#include "cmdline/shell/pager.h"

#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define LISTED_MAX 50   /* candidates with a line of help each; more are shown in columns */
#define GROUPED_MIN 20  /* of several topics: more than these have the topics above them */
#define WORD_COLUMNS 28 /* of a candidate, before its help */
#define AT_ONCE_MS 10   /* what comes this soon behind the key before was written with it */

struct editor {
	struct out *out;
	const struct editor_config *config;
	EditLine *el;
	History *history;
	struct editor_log *log; /* NULL: the log goes elsewhere */
	struct histfile *file;  /* NULL: history is not kept */
	bool interrupted;       /* a signal ended the wait */
	bool cleared;           /* a key of the terminal did: the line is to be forgotten */
	bool typed;             /* the last key came alone */
	unsigned short columns; /* of the terminal */
};

static struct editor *
editor_of(EditLine *el)
{
	struct editor *ed = NULL;

	el_get(el, EL_CLIENTDATA, &ed);
	return ed;
}

static char *
prompt_text(EditLine *el)
{
	return (char *)(uintptr_t)editor_of(el)->config->prompt;
}

/*
 * Follow the terminal's width; libedit would want a signal handler for that. used: columns left of
 * the cursor. libedit keeps the cursor where it is: in a row or column that its new screen has not,
 * it writes behind that. Then the next line follows.
 */
static void
follow_size(struct editor *ed, size_t used)
{
	struct winsize size;

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == ed->columns ||
		size.ws_col <= used)
		return;
	ed->columns = size.ws_col;
	el_resize(ed->el);
}

/*
 * While nothing is typed: the columns of a prompt in one row; 0 when there is more on the screen
 * than that.
 */
static size_t
prompt_columns(const struct editor *ed)
{
	const LineInfo *info = el_line(ed->el);
	const char *c = ed->config->prompt;
	size_t n;

	while (*c >= ' ' && *c <= '~')
		c++;
	if (info->lastchar != info->buffer || *c != '\0')
		return 0;
	n = (size_t)(c - ed->config->prompt);
	return n < ed->columns ? n : 0;
}

/* Columns that the first n bytes of text take. */
static size_t
columns_of(const char *text, size_t n)
{
	mbstate_t state;
	size_t columns = 0, used;
	wchar_t c;

	memset(&state, 0, sizeof(state));
	for (; n > 0; text += used, n -= used) {
		used = mbrtowc(&c, text, n, &state);
		if (used == 0 || used > n)
			break;
		columns += wcwidth(c) > 0 ? (size_t)wcwidth(c) : 0;
	}
	return columns;
}

/* What a log line has to clear from the screen. */
static void
tell_log(const struct editor *ed)
{
	const LineInfo *info = el_line(ed->el);
	const size_t prompt = columns_of(ed->config->prompt, strlen(ed->config->prompt));

	editor_log_shown(ed->log,
		prompt + columns_of(info->buffer, (size_t)(info->cursor - info->buffer)),
		prompt + columns_of(info->buffer, (size_t)(info->lastchar - info->buffer)),
		ed->columns > 0 ? ed->columns : 80);
}

/*
 * Read one byte, and find out whether it came alone. Returns 1, 0 at the end, -1 when a signal or an
 * error ended the wait.
 */
static int
read_byte(struct editor *ed, char *byte)
{
	struct pollfd fds[] = { { STDIN_FILENO, POLLIN, 0 },
		{ editor_log_fd(ed->log), POLLIN, 0 } };
	ssize_t n;
	int ready;

	tell_log(ed);
	ed->typed = false;
	for (;;) {
		if (editor_log_cleared(ed->log))
			el_set(ed->el, EL_REFRESH);
		ready = interrupt_poll(ed->config->interrupt, fds, ARRAY_SIZE(fds),
			ed->typed ? -1 : AT_ONCE_MS);
		if (ready < 0)
			return -1;
		ed->typed |= ready == 0;
		if (ready == 0)
			continue;
		if (interrupt_pending(ed->config->interrupt)) {
			ed->cleared = ed->config->interrupt_key != NULL &&
				ed->config->interrupt_key(ed->config->interrupt);
			ed->interrupted = !ed->cleared;
			return -1;
		}
		if (fds[0].revents == 0)
			continue;
		n = read(STDIN_FILENO, byte, 1);
		if (n >= 0)
			return (int)n;
		if (errno != EINTR && errno != EAGAIN)
			return -1;
	}
}

/* What libedit reads characters with. Bytes that are no character in the locale are left out. */
static int
read_char(EditLine *el, wchar_t *c)
{
	struct editor *ed = editor_of(el);
	mbstate_t state;
	size_t used;
	char byte;
	int ret;

	memset(&state, 0, sizeof(state));
	for (;;) {
		ret = read_byte(ed, &byte);
		if (ret <= 0)
			return ret;
		used = prompt_columns(ed);
		if (used > 0)
			follow_size(ed, used);
		switch (mbrtowc(c, &byte, 1, &state)) {
		case (size_t)-1: memset(&state, 0, sizeof(state)); break;
		case (size_t)-2: break;
		default: return 1;
		}
	}
}

/* Copy the line left of the cursor to to[LINE_BYTES]; false when it is too long to be a command. */
static bool
left_of_cursor(EditLine *el, char *to)
{
	const LineInfo *info = el_line(el);
	size_t n = (size_t)(info->cursor - info->buffer);

	if (n >= LINE_BYTES)
		return false;
	memcpy(to, info->buffer, n);
	to[n] = '\0';
	return true;
}

static void
list_columns(struct editor *ed, const struct offers *o)
{
	size_t i, width = 0, per_row;

	for (i = 0; i < o->n; i++) {
		size_t n = strlen(o->items[i].word);

		width = n > width ? n : width;
	}
	per_row = (ed->columns > 0 ? ed->columns : 80) / (width + 2);
	per_row = per_row > 0 ? per_row : 1;
	for (i = 0; i < o->n; i++)
		out_prompt(ed->out, "%-*s%s", (int)width + 2, o->items[i].word,
			(i + 1) % per_row == 0 || i + 1 == o->n ? "\n" : "");
}

static bool
same_topic(const struct offers_item *item, const char *topic)
{
	return strcmp(item->topic, topic) == 0;
}

/* True when items of several tables are listed, and so many that their topics stand above them. */
static bool
has_topics(const struct offers *o)
{
	for (size_t i = 1; i < o->n && o->n > GROUPED_MIN; i++)
		if (!same_topic(&o->items[i], o->items[0].topic))
			return true;
	return false;
}

/* Lines for all items. */
static void
list_items(const struct editor *ed, const struct offers *o, struct text *text)
{
	const size_t columns = ed->columns > 0 ? ed->columns : 80;

	for (size_t i = 0; i < o->n; i++) {
		text_add(text, "  %-*s  ", WORD_COLUMNS, o->items[i].word);
		text_wrap(text, o->items[i].help, WORD_COLUMNS + 4, columns - 1);
		text_add(text, "\n");
	}
}

/* One line for an item, with as much of its help as it has room for. */
static void
list_item(const struct editor *ed, const struct offers_item *item, struct text *text)
{
	const size_t columns = ed->columns > WORD_COLUMNS + 20 ? ed->columns : 80;
	const size_t room = columns - WORD_COLUMNS - 5, n = strlen(item->help);
	const bool cut = n > room;

	text_add(text, "  %-*s  %.*s%s\n", WORD_COLUMNS, item->word,
		(int)(cut ? room - strlen("...") : n), item->help, cut ? "..." : "");
}

/* Lines for the items of a topic. */
static void
list_topic(const struct editor *ed, const struct offers *o, const char *topic, struct text *text)
{
	text_add(text, "%s%s:\n", text->n > 0 ? "\n" : "", *topic != '\0' ? topic : "others");
	for (size_t i = 0; i < o->n; i++)
		if (same_topic(&o->items[i], topic))
			list_item(ed, &o->items[i], text);
}

/* Lines for all items, those of each topic together, and those that people use most first. */
static void
list_topics(const struct editor *ed, const struct offers *o, struct text *text)
{
	bool usual = false;

	for (size_t i = 0; i < o->n; i++)
		usual |= same_topic(&o->items[i], OFFERS_USUAL);
	if (usual)
		list_topic(ed, o, OFFERS_USUAL, text);
	for (size_t i = 0; i < o->n; i++) {
		size_t first = 0;

		while (!same_topic(&o->items[first], o->items[i].topic))
			first++;
		if (first == i && !same_topic(&o->items[i], OFFERS_USUAL))
			list_topic(ed, o, o->items[i].topic, text);
	}
}

/* Show what may stand at the cursor below the line. */
static void
list(struct editor *ed, const struct offers *o, bool filter)
{
	struct text text = { 0 };

	out_prompt(ed->out, "\n");
	if (has_topics(o))
		list_topics(ed, o, &text);
	else if (o->n > LISTED_MAX)
		list_columns(ed, o);
	else
		list_items(ed, o, &text);
	if (o->complete)
		text_add(&text, "  %-*s  run the command\n", WORD_COLUMNS, "<return>");
	if (o->complete && !filter)
		text_add(&text, "  %-*s  filter the answer, or write it to a file\n", WORD_COLUMNS,
			"| >");
	if (text.bytes != NULL && ed->typed && ed->config->pages(ed->config->ctx))
		pager_show(text.bytes, text.n, out_file(ed->out), ed->config->interrupt);
	else
		out_prompt(ed->out, "%s", text.bytes != NULL ? text.bytes : "");
	free(text.bytes);
}

/*
 * Bytes that all words to be inserted have in common; *words: how many they are, *word: the first
 * one.
 */
static size_t
common_bytes(const struct offers *o, size_t *words, const struct offers_item **word)
{
	size_t i, n = 0;

	*words = 0;
	for (i = 0; i < o->n; i++) {
		const struct offers_item *item = &o->items[i];

		if (item->hint)
			continue;
		if ((*words)++ == 0) {
			*word = item;
			n = strlen(item->word);
		}
		while (strncmp((*word)->word, item->word, n) != 0)
			n--;
	}
	while (n > 0 && n < strlen((*word)->word) && ((*word)->word[n] & 0xc0) == 0x80)
		n--; /* not inside a character */
	return n;
}

/*
 * Put the first n bytes of word in the place of what is typed of it, in quotes where it needs them.
 */
static void
insert(struct editor *ed, const struct offers *o, const char *typed, const char *word, size_t n,
	bool whole)
{
	char text[2 * sizeof(o->items[0].word) + 4], *to = text;
	bool quotes = o->quoted || strcspn(word, " \t\"") < n || word[0] == '#';
	size_t i, letters = mbstowcs(NULL, typed, 0);

	if (quotes)
		*to++ = '"';
	for (i = 0; i < n; i++) {
		if (quotes && (word[i] == '"' || word[i] == '\\'))
			*to++ = '\\';
		*to++ = word[i];
	}
	if (quotes && whole)
		*to++ = '"';
	if (whole)
		*to++ = ' ';
	*to = '\0';
	el_deletestr(ed->el, (int)(letters == (size_t)-1 ? strlen(typed) : letters));
	el_insertstr(ed->el, text);
}

/* TAB: complete the word at the cursor as far as it is clear, or show what it may become. */
static unsigned char
complete(EditLine *el, int key)
{
	struct editor *ed = editor_of(el);
	const struct offers_item *word = NULL;
	char line[LINE_BYTES];
	unsigned char answer = CC_REFRESH;
	struct offers o;
	struct err why;
	size_t words, n;
	bool filter;

	if (!left_of_cursor(el, line))
		return CC_ERROR;
	err_clear(&why);
	filter = ed->config->offer(ed->config->ctx, line, &o, &why);
	n = common_bytes(&o, &words, &word);
	if (words == 1 && (word->final || n > strlen(o.prefix))) {
		insert(ed, &o, line + o.prefix_at, word->word, n, word->final);
	} else if (words > 1 && n > strlen(o.prefix)) {
		insert(ed, &o, line + o.prefix_at, word->word, n, false);
	} else if (o.n > 0 || (o.complete && *o.prefix == '\0')) {
		list(ed, &o, filter);
		answer = CC_REDISPLAY;
	} else {
		answer = CC_REFRESH_BEEP;
	}
	offers_free(&o);
	return answer;
}

/*
 * ?: show what may come next. Inside quotes, in a comment and behind a backslash, which it
 * replaces, it is itself.
 */
static unsigned char
question(EditLine *el, int key)
{
	struct editor *ed = editor_of(el);
	char line[LINE_BYTES];
	struct offers o;
	struct err why;
	size_t n;
	bool literal, filter;

	if (!left_of_cursor(el, line))
		return CC_ERROR;
	err_clear(&why);
	filter = ed->config->offer(ed->config->ctx, line, &o, &why);
	n = strlen(line);
	literal = o.literal;
	if (!literal && n > 0 && line[n - 1] == '\\') {
		el_deletestr(el, 1);
		literal = true;
	}
	if (literal)
		el_insertstr(el, "?");
	else if (o.n > 0 || o.complete)
		list(ed, &o, filter);
	else
		out_prompt(ed->out, "\n  %s\n", why.code != 0 ? why.text : "nothing may follow");
	offers_free(&o);
	return literal ? CC_REFRESH : CC_REDISPLAY;
}

static void
remember(void *ctx, const char *line)
{
	struct editor *ed = ctx;
	HistEvent event;

	history(ed->history, &event, H_ENTER, line);
}

/* Set libedit up. */
static void
set_up(struct editor *ed)
{
	HistEvent event;

	el_set(ed->el, EL_CLIENTDATA, ed);
	el_set(ed->el, EL_PROMPT, prompt_text);
	el_set(ed->el, EL_EDITOR, "emacs");
	el_set(ed->el, EL_SIGNAL, 0);
	el_set(ed->el, EL_GETCFN, read_char);
	history(ed->history, &event, H_SETSIZE, HISTFILE_LINES);
	history(ed->history, &event, H_SETUNIQUE, 1);
	el_set(ed->el, EL_HIST, history, ed->history);
	el_set(ed->el, EL_ADDFN, "complete", "Complete the word", complete);
	el_set(ed->el, EL_ADDFN, "question", "Show what may come next", question);
	el_set(ed->el, EL_BIND, "^I", "complete", NULL);
	el_set(ed->el, EL_BIND, "?", "question", NULL);
	el_set(ed->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_set(ed->el, EL_BIND, "^S", "em-inc-search-next", NULL);
	/*
	 * From here on, also while a command runs, the terminal neither echoes nor waits for whole
	 * lines, as under testpmd: what is typed ahead shows once, behind its prompt.
	 */
	el_set(ed->el, EL_SETTY, "-x", "-echo", "-icanon", NULL);
	el_source(ed->el, NULL);
}

struct editor *
editor_open(const struct editor_config *config, struct out *out, struct err *e)
{
	struct editor *ed = calloc(1, sizeof(*ed));

	if (ed != NULL) {
		ed->history = history_init();
		ed->el = el_init("zcfwd", stdin, out_file(out), stderr);
	}
	if (ed == NULL || ed->history == NULL || ed->el == NULL) {
		err_set(e, ENOMEM, "the line editor does not start: no editing, no history");
		editor_close(ed);
		return NULL;
	}
	ed->out = out;
	ed->config = config;
	set_up(ed);
	if (config->history_file != NULL)
		ed->file = histfile_open(config->history_file, remember, ed, e);
	ed->log = editor_log_open();
	return ed;
}

void
editor_close(struct editor *ed)
{
	if (ed == NULL)
		return;
	editor_log_close(ed->log);
	if (ed->el != NULL)
		el_end(ed->el);
	if (ed->history != NULL)
		history_end(ed->history);
	histfile_close(ed->file);
	free(ed);
}

bool
editor_typed(const struct editor *ed)
{
	return ed->typed;
}

void
editor_history(struct editor *ed, void (*each)(void *ctx, const char *line), void *ctx)
{
	HistEvent event;
	int ret;

	for (ret = history(ed->history, &event, H_LAST); ret >= 0;
		ret = history(ed->history, &event, H_PREV))
		each(ctx, event.str);
}

int
editor_line(struct editor *ed, char *line)
{
	const char *text;
	int n = 0;

	for (;;) {
		ed->interrupted = ed->cleared = false;
		follow_size(ed, 0);
		text = el_gets(ed->el, &n);
		editor_log_hidden(ed->log);
		if (!ed->cleared)
			break;
		out_prompt(ed->out, "\n");
	}
	if (text == NULL)
		return ed->interrupted ? -EINTR : n < 0 ? -EIO : 0;
	n = (int)strcspn(text, "\r\n");
	snprintf(line, LINE_BYTES, "%.*s", n, text);
	if (n >= LINE_BYTES)
		return -E2BIG;
	if (strspn(line, " \t") < (size_t)n) {
		remember(ed, line);
		histfile_add(ed->file, line);
	}
	return 1;
}
