/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

static void list_experiments(void)
{
	const struct experiment *e;
	int i;

	for (i = 0; experiments[i]; i++) {
		e = experiments[i];
		printf("%s: %s\n  question   %s\n  operation  %s\n", e->name, e->summary,
		       e->question, e->op);
		if (*e->source)
			printf("  restates   %s\n", e->source);
	}
}

static void print_param(const struct param *p)
{
	char value[64];
	int i;

	printf("  %-17s %s%s%s%s\n", p->name, p->help, *p->unit ? " [" : "", p->unit,
	       *p->unit ? "]" : "");
	printf("  %-17s ", "");
	for (i = 0; p->choices && p->choices[i]; i++)
		printf("%s%s", i ? ", " : "", p->choices[i]);
	if (!p->choices)
		printf("%lld..%lld", (long long)p->min, (long long)p->max);
	if (p->step > 1)
		printf(" in steps of %lld", (long long)p->step);
	printf("; default %s\n", param_text(p, p->def, value, sizeof(value)));
}

static void list_params(void)
{
	const struct metric *m;
	const struct param *p;
	int i;

	for (i = 0; experiments[i]; i++) {
		printf("%s%s, parameters for --set:\n", i ? "\n" : "", experiments[i]->name);
		for (p = experiments[i]->params; p && p->name; p++)
			print_param(p);
		for (m = experiments[i]->metrics; m && m->name; m++)
			printf("  reports %s, %s: %s\n", m->name, m->unit, m->help);
	}
}

/* "name=value, name=value", at most 100 columns */
static void print_sets(const char *sets)
{
	size_t column = 100, len;

	for (; *sets; sets += len) {
		len = strcspn(sets, ",");
		len += sets[len] == ',';
		if (column + len + 1 > 100) {
			printf("\n            ");
			column = 12;
		}
		column += printf(" %.*s", (int)len, sets);
	}
	printf("\n");
}

/* "44.6-57.0", "10482.7", or why there is none */
static void print_published(const struct bench_published_row *r)
{
	char text[48] = "-", change[24] = "";

	if (isfinite(r->value[0]))
		snprintf(text, sizeof(text), r->value[0] < r->value[1] ? "%.10g-%.10g" : "%.10g",
			 r->value[0], r->value[1]);
	if (r->base)
		strcpy(change, "base");
	else if (isfinite(r->change))
		snprintf(change, sizeof(change), "%+.1f%%", r->change);
	printf("    %-28s %9s %8s  %s\n", r->name, text, change, r->sets);
	if (r->note)
		printf("      %s\n", r->note);
}

static void list_cases(void)
{
	const struct bench_published_case *c;
	const struct bench_published_row *r;
	int i;

	for (c = bench_published_cases; c->name; c++) {
		printf("%s%s: %s\n  machine    %s\n  load       %s\n  source     %s\n",
		       c == bench_published_cases ? "" : "\n", c->name, c->title, c->machine,
		       c->load, c->source);
		printf("  measures   %s with", c->experiment);
		print_sets(c->sets);
		for (i = 0; i < BENCH_PUBLISHED_FITS && c->fit[i].name; i++)
			printf("  %s %s=%lld (%s)\n", i ? "          " : "to be fit ",
			       c->fit[i].name, (long long)c->fit[i].value, c->fit[i].why);
		printf("  rows       published value, in %s; change against the base; sets\n",
		       c->unit);
		for (r = c->rows; r->name; r++)
			print_published(r);
	}
}

static void list_placements(void)
{
	const struct topo_placement *p;
	int i, nr;

	p = topo_placements(&nr);
	for (i = 0; i < nr; i++)
		printf("  %-17s %s\n", p[i].name, p[i].help);
	printf("  %-17s %s\n", "CPULIST", "exactly these, in this order: 0-17,36-53 or 8-159:8");
}

static const struct {
	const char *name;
	void (*print)(void);
} lists[] = {{"experiments", list_experiments},
	     {"params", list_params},
	     {"cases", list_cases},
	     {"placements", list_placements},
	     {"counters", list_counters}};
#define NR_LISTS (sizeof(lists) / sizeof(lists[0]))

int cmd_list(const struct command *self, int argc, char **argv)
{
	static const struct option_row rows[] = {{NULL}};
	const char *names[NR_LISTS];
	struct err err = ERR_INIT;
	int first, rc;
	size_t i;

	rc = options_parse(self, NULL, rows, argc, argv, &first, &err);
	if (rc)
		return rc > 0 ? EXIT_DONE : cli_fail(&err);
	for (i = 0; i < NR_LISTS; i++) {
		names[i] = lists[i].name;
		if (first >= argc)
			printf("%s%s\n", i ? "\n" : "", lists[i].name);
		if (first >= argc || !strcmp(argv[first], lists[i].name)) {
			lists[i].print();
			if (first < argc)
				return EXIT_DONE;
		}
	}
	if (first >= argc)
		return EXIT_DONE;
	text_unknown(&err, "list", argv[first], names, NR_LISTS);
	return cli_fail(&err);
}
