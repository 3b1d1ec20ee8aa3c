/* SPDX-License-Identifier: MIT */
#include "counters_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 80

static bool has_column(const struct counters *c, const char *name)
{
	int i = 0;

	while (i < c->nr && strcmp(c->column[i].info.name, name))
		i++;
	return i < c->nr;
}

/* NULL when it is there already, or none is left: then @err has the sentence */
static struct column *new_column(struct counters *c, const char *name, struct err *err)
{
	struct column *col;

	if (has_column(c, name))
		return NULL;
	if (c->nr == COUNTERS_MAX) {
		err_set(err, -EINVAL, "more than %d counters were chosen", COUNTERS_MAX);
		return NULL;
	}
	col = &c->column[c->nr++];
	*col = (struct column){.set = -1};
	snprintf(col->info.name, sizeof(col->info.name), "%s", name);
	return col;
}

static void describe(struct column *col)
{
	struct counter_info *info = &col->info;
	int i, at = 0;

	for (i = 0; i < col->nr_events; i++)
		at += snprintf(info->events + at, sizeof(info->events) - at, "%s%s", i ? ", " : "",
			       col->event[i].name);
	if (col->formula == COUNTER_QUOTIENT && col->nr_events == 2)
		snprintf(info->formula, sizeof(info->formula), "%s / %s", col->event[0].name,
			 col->event[1].name);
	else if (col->nr_events == 2)
		snprintf(info->formula, sizeof(info->formula), "(%s + %s) / operations",
			 col->event[0].name, col->event[1].name);
	else if (col->nr_events)
		snprintf(info->formula, sizeof(info->formula), "%s / operations",
			 col->event[0].name);
}

static void add_metric(struct counters *c, const struct counter_metric *m, struct err *err)
{
	struct column *col = new_column(c, m->name, err);

	if (!col)
		return;
	col->formula = m->formula;
	col->info.unit = m->unit;
	col->info.meaning = m->meaning;
	col->info.group = m->group;
	col->info.moves = m->moves;
	col->software = !strcmp(m->group, "software");
	col->nr_events = native_events(c->machine.uarch, m->name, col->event);
	describe(col);
}

/* what this microarchitecture has, and what one expects and it has not */
static void add_group(struct counters *c, const char *group, struct err *err)
{
	struct counter_event unused[METRIC_MAX_EVENTS];
	const struct counter_metric *m;

	for (m = counter_metrics; m->name; m++)
		if ((!group || !strcmp(m->group, group)) &&
		    (m->usual || native_events(c->machine.uarch, m->name, unused)))
			add_metric(c, m, err);
}

/* "r02c3" */
static bool is_code(const char *word)
{
	return word[0] == 'r' && word[1] &&
	       word[1 + strspn(word + 1, "0123456789abcdefABCDEF")] == 0 && strlen(word) <= 17;
}

/* as libpfm writes them: "icx::MACHINE_CLEARS:COUNT", "INST_RETIRED"; metrics have small letters */
static bool is_native(const char *word)
{
	const char *s;

	for (s = word; *s; s++)
		if (isupper((unsigned char)*s) || *s == ':')
			return strlen(word) < sizeof(((struct counter_event *)0)->name);
	return false;
}

static void add_native(struct counters *c, const char *word, struct err *err)
{
	struct column *col = new_column(c, word, err);
	struct counter_event *e;

	if (!col)
		return;
	col->info.unit = "events";
	col->info.group = "native";
	col->info.meaning =
		"An event of this processor or of the kernel, as its manual describes it.";
	col->nr_events = 1;
	e = &col->event[0];
	snprintf(e->name, sizeof(e->name), "%s", word);
	e->kind = is_code(word) ? EVENT_RAW : EVENT_NAMED;
	if (e->kind == EVENT_RAW)
		e->config = strtoull(word + 1, NULL, 16);
	describe(col);
}

static int unknown(const char *word, struct err *err)
{
	const char *names[MAX_NAMES];
	int nr = 0, i;

	for (i = 0; counter_groups[i].name; i++)
		names[nr++] = counter_groups[i].name;
	for (i = 0; counter_metrics[i].name && nr < MAX_NAMES; i++)
		names[nr++] = counter_metrics[i].name;
	if (text_nearest(word, names, nr))
		return err_set(err, -EINVAL, "unknown counter '%.60s': nearest is '%s'", word,
			       text_nearest(word, names, nr));
	return err_set(err, -EINVAL,
		       "unknown counter '%.60s': neither a group, a metric nor an event; see 'list "
		       "counters'",
		       word);
}

static int add_word(struct counters *c, const char *word, struct err *err)
{
	struct err full = ERR_INIT;
	int i;

	for (i = 0; counter_groups[i].name && strcmp(counter_groups[i].name, word); i++)
		;
	if (counter_groups[i].name || !strcmp(word, "all"))
		add_group(c, strcmp(word, "all") ? word : NULL, &full);
	else if (metric_find(word))
		add_metric(c, metric_find(word), &full);
	else if (is_code(word) || is_native(word))
		add_native(c, word, &full);
	else if (!strcmp(word, "none"))
		return err_set(err, -EINVAL, "'none' cannot be chosen with other counters");
	else
		return unknown(word, err);
	if (full.code && err)
		*err = full;
	return full.code;
}

int choice_parse(struct counters *c, const char *choice, struct err *err)
{
	char *words = strdup(choice), *word, *rest;
	int rc = words ? 0 : err_set(err, -ENOMEM, "out of memory");

	if (!rc)
		add_group(c, "software", NULL);
	if (!rc && !*words)
		rc = err_set(err, -EINVAL, "no counter is named; 'none' chooses none");
	for (word = words; !rc && word; word = rest) {
		rest = strchr(word, ',');
		if (rest)
			*rest++ = 0;
		rc = add_word(c, word, err);
	}
	free(words);
	return rc;
}
