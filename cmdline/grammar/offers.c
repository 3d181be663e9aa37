/* Collect words that begin with the prefix, each one once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/offers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Add an item unless it is there. */
static void
add(struct offers *o, const char *word, const char *help, bool final, bool hint)
{
	struct offers_item *item;
	size_t i;

	for (i = 0; i < o->n; i++)
		if (strcmp(o->items[i].word, word) == 0)
			return;
	if (strlen(word) >= sizeof(item->word))
		return;
	if (o->n == o->room) {
		size_t room = o->room * 2 + 16;
		struct offers_item *items = realloc(o->items, room * sizeof(*items));

		if (items == NULL)
			return;
		o->items = items;
		o->room = room;
	}
	item = &o->items[o->n++];
	snprintf(item->word, sizeof(item->word), "%s", word);
	snprintf(item->help, sizeof(item->help), "%s", help != NULL ? help : "");
	snprintf(item->topic, sizeof(item->topic), "%s", o->topic != NULL ? o->topic : "");
	item->final = final;
	item->hint = hint;
}

void
offer(struct offers *o, const char *word, const char *help, bool final)
{
	if (strncmp(word, o->prefix, strlen(o->prefix)) == 0)
		add(o, word, help, final, false);
}

void
offers_hint(struct offers *o, const char *word, const char *help)
{
	add(o, word, help, false, true);
}

void
offers_clear(struct offers *o)
{
	o->n = 0;
	o->files = false;
}

void
offers_free(struct offers *o)
{
	free(o->items);
	o->items = NULL;
	o->n = o->room = 0;
	o->files = false;
}
