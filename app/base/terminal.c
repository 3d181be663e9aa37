/* The terminal: its size, bars and curves in characters, an alternate screen, single keys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/terminal.h"

#include "base/base.h"
#include "base/text.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool
terminal_size(FILE *file, unsigned int *columns, unsigned int *rows)
{
	struct winsize size = { 0 };
	bool terminal = isatty(fileno(file)) != 0;

	if (terminal && ioctl(fileno(file), TIOCGWINSZ, &size) < 0)
		memset(&size, 0, sizeof(size));
	*columns = size.ws_col > 0 ? size.ws_col : 80;
	*rows = size.ws_row > 0 ? size.ws_row : 24;
	return terminal;
}

bool
terminal_blocks(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Scale a fraction 0..1 to 0..n - 1; a fraction above 0 never becomes 0. */
static unsigned int
place(double fraction, unsigned int n)
{
	if (!(fraction > 0))
		return 0;
	if (fraction >= 1)
		return n - 1;
	return 1 + (unsigned int)(fraction * (n - 1));
}

const char *
terminal_level(double fraction, bool blocks)
{
	static const char *const smooth[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const plain[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };

	return (blocks ? smooth : plain)[place(fraction, ARRAY_SIZE(smooth))];
}

void
terminal_bar(struct text *t, unsigned int cells, double fraction, bool blocks)
{
	static const char *const parts[] = { " ", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	const unsigned int whole = ARRAY_SIZE(parts);
	unsigned int eighths = place(fraction, cells * whole + 1), i;

	for (i = 0; i < cells; i++) {
		if (eighths >= (i + 1) * whole)
			text_add(t, "%s", blocks ? "█" : "#");
		else if (blocks && eighths > i * whole)
			text_add(t, "%s", parts[eighths - i * whole]);
		else
			text_add(t, "%s", !blocks && eighths > i * whole ? "." : " ");
	}
}

bool
terminal_clears(FILE *file)
{
	const char *kind = getenv("TERM");

	return kind != NULL && strcmp(kind, "dumb") != 0 && strcmp(kind, "") != 0 &&
		isatty(fileno(file)) != 0;
}

bool
terminal_screen_begin(struct terminal_screen *s, int input)
{
	struct termios raw;

	s->input = isatty(input) != 0 ? input : -1;
	if (s->input < 0)
		return true;
	if (tcgetattr(input, &s->before) != 0)
		return false;
	raw = s->before;
	raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ISIG);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return tcsetattr(input, TCSANOW, &raw) == 0;
}

void
terminal_screen_end(const struct terminal_screen *s)
{
	if (s->input >= 0)
		tcsetattr(s->input, TCSANOW, &s->before);
}
