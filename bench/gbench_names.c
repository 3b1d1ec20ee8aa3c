/* SPDX-License-Identifier: MIT */
#include "gbench.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* the first case of the same experiment carries what varies; bit i: parameter i */
struct variation {
	int first;
	uint32_t params;
	bool placement, home;
};

static void find_variation(const struct plan *plan, struct variation *v)
{
	const struct bench_case *a, *b;
	const struct param *p;
	int i, k, f;

	for (i = 0; i < plan->nr_cases; i++) {
		b = &plan->cases[i];
		for (f = 0; plan->cases[f].exp != b->exp; f++)
			;
		a = &plan->cases[f];
		v[i].first = f;
		for (p = b->exp->params, k = 0; p && p->name; p++, k++)
			if (param_get(p, a->params) != param_get(p, b->params))
				v[f].params |= 1u << k;
		v[f].placement |= !!strcmp(or_empty(a->placement), or_empty(b->placement));
		v[f].home |= !!strcmp(or_empty(a->home), or_empty(b->home));
	}
}

static bool is_other(const char *s, const char *def)
{
	return s && *s && strcmp(s, def);
}

static char *name_of(const struct bench_case *c, const struct variation *v)
{
	const struct param *p;
	char *name = NULL, value[64];
	size_t size;
	FILE *f = open_memstream(&name, &size);
	int k;

	if (!f)
		return NULL;
	fputs(c->exp->name, f);
	for (p = c->exp->params, k = 0; p && p->name; p++, k++)
		if (param_get(p, c->params) != p->def || (v->params >> k & 1))
			fprintf(f, "/%s=%s", p->name,
				param_text(p, param_get(p, c->params), value, sizeof(value)));
	if (is_other(c->placement, "cores-first") || v->placement)
		fprintf(f, "/placement=%s", or_empty(c->placement));
	if (is_other(c->home, "local") || v->home)
		fprintf(f, "/home=%s", or_empty(c->home));
	fprintf(f, "/workers:%d", c->cpus.nr);
	if (fclose(f)) {
		free(name);
		return NULL;
	}
	return name;
}

/* the same parameters on other CPUs of the same placement: tell them apart by number */
static int make_unique(char **names, int nr)
{
	bool *again = calloc(nr ? nr : 1, sizeof(*again));
	char *longer;
	int i, j;

	if (!again)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		for (j = 0; j < i && !again[i]; j++)
			again[i] = !strcmp(names[i], names[j]);
	for (i = 0; i < nr; i++) {
		if (!again[i])
			continue;
		if (asprintf(&longer, "%s/case:%d", names[i], i) < 0)
			break;
		free(names[i]);
		names[i] = longer;
	}
	free(again);
	return i == nr ? 0 : -ENOMEM;
}

char **gbench_names(const struct plan *plan)
{
	int nr = plan->nr_cases, i;
	struct variation *v = calloc(nr ? nr : 1, sizeof(*v));
	char **names = calloc(nr ? nr : 1, sizeof(*names));

	if (!v || !names)
		goto fail;
	find_variation(plan, v);
	for (i = 0; i < nr; i++) {
		names[i] = name_of(&plan->cases[i], &v[v[i].first]);
		if (!names[i])
			goto fail;
	}
	if (make_unique(names, nr))
		goto fail;
	free(v);
	return names;
fail:
	free(v);
	gbench_names_free(names, nr);
	return NULL;
}

void gbench_names_free(char **names, int nr)
{
	int i;

	for (i = 0; names && i < nr; i++)
		free(names[i]);
	free(names);
}

int gbench_select(char *const *names, int nr, const char *filter, bool *chosen, struct err *err)
{
	bool invert = filter[0] == '-';
	const char *pattern = filter + invert;
	char why[160];
	regex_t re;
	int i, n = 0, rc;

	if (!*pattern || !strcmp(pattern, "all"))
		pattern = ".";
	rc = regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &re, why, sizeof(why));
		return err_set(err, -EINVAL,
			       "--benchmark_filter: '%.120s' is not a regular expression: %s",
			       filter, why);
	}
	for (i = 0; i < nr; i++) {
		chosen[i] = !regexec(&re, names[i], 0, NULL, 0) != invert;
		n += chosen[i];
	}
	regfree(&re);
	if (!n && nr)
		return err_set(
			err, -EINVAL,
			"--benchmark_filter: '%.120s' matches none of the %d cases, such as '%s'",
			filter, nr, names[0]);
	return n;
}

const char *gbench_marks_text(unsigned marks, char *buf, size_t size)
{
	size_t used = 0;
	int i;

	buf[0] = '\0';
	for (i = 0; i < BENCH_NR_MARKS && used < size; i++)
		if (marks >> i & 1)
			used += snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
					 bench_mark_names[i]);
	return buf;
}
