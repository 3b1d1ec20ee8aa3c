/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <string.h>

#include "format.h"
#include "report_private.h"
#include "text.h"

static void put_batch(FILE *to, const struct pick_demand *d)
{
	char text[40] = "?";

	if (d->decided)
		snprintf(text, sizeof(text), "%lld%s", (long long)d->batch,
			 d->bound_by_limit ? "*" : "");
	else if (d->range_lo && d->range_hi)
		snprintf(text, sizeof(text), "%lld-%lld?", (long long)d->range_lo,
			 (long long)d->range_hi);
	else if (d->range_lo)
		snprintf(text, sizeof(text), ">=%lld?", (long long)d->range_lo);
	fprintf(to, " %8s", text);
}

/* the head says percent */
static void put_gain(FILE *to, const struct pick_row *row, int which)
{
	char text[FORMAT_MAX] = "-", *percent;

	if (row && row->over[which].n)
		format_gain(text, &row->over[which]);
	percent = strchr(text, '%');
	if (percent)
		memmove(percent, percent + 1, strlen(percent));
	fprintf(to, "  %-20s", text);
}

static void put_demand(FILE *to, const struct pick *p, const struct pick_demand *d)
{
	int64_t batch = d->decided ? d->batch : d->range_lo;
	const struct pick_row *row = NULL;
	int width = p->predicted ? 21 : 22, i;
	char text[FORMAT_MAX] = "-";

	for (i = 0; i < d->nr_rows; i++)
		if (d->rows[i].batch == batch)
			row = &d->rows[i];
	fprintf(to, "  %s%-*.*s %4d %7s", p->predicted ? "~" : "", width, width, p->class_name,
		p->cpus, format_work(text, d->work_ns));
	put_batch(to, d);
	put_gain(to, row, 0);
	put_gain(to, row, 1);
	fprintf(to, " %8s\n", row ? text_bytes(text, sizeof(text), row->stranded_bytes) : "-");
}

static bool any(const struct pick *const *p, int nr, bool (*is)(const struct pick *p))
{
	int i;

	for (i = 0; i < nr; i++)
		if (is(p[i]))
			return true;
	return false;
}

static bool is_bound(const struct pick *p)
{
	int i;

	for (i = 0; i < p->nr_demands; i++)
		if (p->demands[i].work_ns && p->demands[i].bound_by_limit)
			return true;
	return false;
}

static bool is_predicted(const struct pick *p)
{
	return p->predicted;
}

static bool is_open(const struct pick *p)
{
	return !p->decided;
}

static void put_limits(FILE *to, const struct pick *const *p, int nr)
{
	int i, k;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < i &&
			    (!is_bound(p[k]) || !is_bound(p[i]) ||
			     strcmp(p[k]->limit_by, p[i]->limit_by) || p[k]->limit != p[i]->limit);
		     k++)
			;
		if (is_bound(p[i]) && k == i)
			fprintf(to, "  * bound by %s: at most %lld\n", p[i]->limit_by,
				(long long)p[i]->limit);
	}
}

int pick_commit(const struct pick *const *p, int nr, FILE *to)
{
	char margin[FORMAT_MAX];
	int i, k;

	fprintf(to,
		"Smallest charge batch from which no larger one gains more than %s, by machine\n"
		"class and local work per page; gains with 95%% intervals.\n\n",
		format_percent(margin, p[0]->margin));
	fprintf(to, "  %-22s %4s %7s %8s  %-20s  %-20s %8s\n", "class", "CPUs", "work", "batch",
		"% over 32", "% over 64", "stranded");
	for (i = 0; i < nr; i++)
		for (k = 0; k < p[i]->nr_demands; k++)
			if (p[i]->demands[k].work_ns)
				put_demand(to, p[i], &p[i]->demands[k]);
	if (any(p, nr, is_bound) || any(p, nr, is_predicted) || any(p, nr, is_open))
		fprintf(to, "\n");
	put_limits(to, p, nr);
	if (any(p, nr, is_open))
		fprintf(to,
			"  ? not decided by these data; gains are of the smallest that may be\n");
	if (any(p, nr, is_predicted))
		fprintf(to, "  ~ predicted by a model, not measured\n");
	return ferror(to) ? -EIO : 0;
}
