/* SPDX-License-Identifier: MIT */
/* Every metric with its meaning, and what this machine makes of it. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"

#define WIDTH	    100
#define MAX_REASONS 64

/* reasons once, by number: a machine without counters has the same for most */
struct reasons {
	const char *text[MAX_REASONS];
	int nr;
};

static int number_of(struct reasons *r, const char *text)
{
	int i;

	for (i = 0; i < r->nr; i++)
		if (!strcmp(r->text[i], text))
			return i + 1;
	if (r->nr < MAX_REASONS)
		r->text[r->nr++] = text;
	return r->nr;
}

static void print_wrapped(int indent, const char *text)
{
	int room = WIDTH - indent, len;

	for (; *text; text += len + strspn(text + len, " ")) {
		len = strlen(text);
		if (len > room)
			for (len = room; len > 1 && text[len] != ' '; len--)
				;
		printf("%*s%.*s\n", indent, "", len, text);
	}
}

static const struct counter_info *find_column(struct counters *c, const char *name)
{
	int i;

	for (i = 0; i < counters_nr(c); i++)
		if (!strcmp(counters_info(c, i)->name, name))
			return counters_info(c, i);
	return NULL;
}

static void print_metric(struct counters *c, const struct counter_metric *m,
			 struct reasons *reasons)
{
	const struct counter_info *info = find_column(c, m->name);

	if (!info)
		return;
	printf("  %-24s %s", m->name, counter_state_names[info->state]);
	if (*info->reason)
		printf(" (%d)", number_of(reasons, info->reason));
	printf("\n");
	print_wrapped(6, m->meaning);
	if (*info->formula)
		printf("      %s = %s\n", m->unit, info->formula);
}

/* names of metrics that other microarchitectures have and this one has not */
static void print_others(struct counters *c, const char *group)
{
	const struct counter_metric *m;
	char text[1000];
	size_t at = 0;

	for (m = counter_metrics; m->name; m++)
		if (!strcmp(m->group, group) && !find_column(c, m->name) && at < sizeof(text))
			at += snprintf(text + at, sizeof(text) - at, "%s%s",
				       at ? ", " : "on other processors: ", m->name);
	if (at)
		print_wrapped(2, text);
}

static void print_all(struct counters *c)
{
	const struct counter_group *g;
	const struct counter_metric *m;
	struct reasons reasons = {.nr = 0};
	int i;

	for (g = counter_groups; g->name; g++) {
		printf("%s: %s\n", g->name, g->help);
		for (m = counter_metrics; m->name; m++)
			if (!strcmp(m->group, g->name))
				print_metric(c, m, &reasons);
		print_others(c, g->name);
	}
	printf("all: every group. Events of the processor or the kernel: PMU::EVENT:UNIT as libpfm "
	       "names\nthem, or r and the code in hexadecimal digits.\n");
	for (i = 0; i < reasons.nr; i++) {
		printf("\n(%d)\n", i + 1);
		print_wrapped(4, reasons.text[i]);
	}
	printf("\nCounted with %s.\n", counters_backend(c));
	print_wrapped(0, counters_note(c));
}

void list_counters(void)
{
	struct counters *c = NULL;
	struct topo *topo = NULL;
	struct err err = ERR_INIT;

	if (topo_load(&topo, NULL, &err) || counters_open(&c, topo, "all", false, &err))
		cli_fail_input(&err);
	else
		print_all(c);
	counters_close(c);
	topo_free(topo);
}
