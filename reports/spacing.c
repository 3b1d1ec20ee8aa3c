/* SPDX-License-Identifier: MIT */
/* What false_sharing found: how far apart fields of different CPUs must be on this machine. */
#include "report_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "text.h"

#define MARGIN	   0.05 /* a distance is enough when no larger one gains more */
#define MAX_GROUPS 16

struct place {
	int64_t distance;
	const struct series *s;
};

/* the distances of one setting */
struct spacing {
	struct place *at; /* ascending */
	int nr;
	int lo, hi; /* the answer is one of at[lo] .. at[hi]; hi < 0: of the larger ones too */
};

struct spacings {
	struct spacing group[MAX_GROUPS];
	int nr, nr_left_out;
};

static bool is_writers(const struct result_case *c, int64_t *distance)
{
	return text_same(c->experiment, "false_sharing") && c->nr_workers >= 2 &&
	       text_same(result_param_text(c, "pattern"), "writers") &&
	       result_param(c, "distance", distance);
}

static bool is_distance(const char *name)
{
	return !strcmp(name, "distance");
}

static bool same_setting(const struct result_case *a, const struct result_case *b)
{
	return a->nr_workers == b->nr_workers && text_same(a->placement, b->placement) &&
	       result_same_params(a, b, is_distance);
}

static int by_distance(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	return (a->distance > b->distance) - (a->distance < b->distance);
}

static int add_to_group(struct spacings *all, const struct series *s, int64_t distance)
{
	struct spacing *g = all->group;
	struct place *grown;

	while (g < all->group + all->nr && !same_setting(g->at[0].s->c, s->c))
		g++;
	if (g == all->group + MAX_GROUPS) {
		all->nr_left_out++;
		return 0;
	}
	grown = realloc(g->at, sizeof(*grown) * (g->nr + 1));
	if (!grown)
		return -ENOMEM;
	all->nr += g == all->group + all->nr;
	g->at = grown;
	g->at[g->nr++] = (struct place){distance, s};
	return 0;
}

/* lo: the first that no larger one surely beats; hi: the first that surely none beats */
static int judge(struct spacing *g)
{
	bool too_small, enough;
	struct estimate gain;
	int i, k;

	qsort(g->at, g->nr, sizeof(*g->at), by_distance);
	g->lo = g->hi = -1;
	for (i = 0; i < g->nr - 1 && g->hi < 0; i++) {
		too_small = false;
		enough = true;
		for (k = i + 1; k < g->nr; k++) {
			if (series_ratio(g->at[k].s, g->at[i].s, &gain))
				return -ENOMEM;
			too_small |= gain.lo > 1 + MARGIN;
			enough &= gain.hi <= 1 + MARGIN;
		}
		if (!too_small && g->lo < 0)
			g->lo = i;
		if (enough)
			g->hi = i;
	}
	if (g->lo < 0)
		g->lo = g->nr - 1;
	return 0;
}

static int find_groups(const struct series_set *set, struct spacings *all)
{
	int64_t distance;
	int i, rc = 0;

	for (i = 0; i < set->nr && !rc; i++)
		if (is_writers(set->s[i].c, &distance))
			rc = add_to_group(all, &set->s[i], distance);
	for (i = 0; i < all->nr && !rc; i++)
		rc = judge(&all->group[i]);
	return rc;
}

/* ------------------------------------------------------------------------ sentences */

/* "2 writers, op add, first field in an even line" */
static char *setting(char *buf, size_t size, const struct spacing *g)
{
	const struct result_case *c = g->at[0].s->c;
	const char *op = result_param_text(c, "op"), *parity = result_param_text(c, "parity");
	int64_t work_ns = 0;
	size_t len;

	len = snprintf(buf, size, "%d writers, op %.20s, first field in an %.20s line",
		       c->nr_workers, op ? op : "unknown", parity ? parity : "unknown");
	if (result_param(c, "work_ns", &work_ns) && work_ns && len < size)
		snprintf(buf + len, size - len, ", %" PRId64 " ns of local work", work_ns);
	return buf;
}

static bool decided(const struct spacing *g)
{
	return g->lo == g->hi;
}

/* "99.8% [99.1,100.3]" */
static char *part_text(struct doc *d, char *buf, const struct series *a, const struct series *b)
{
	struct estimate e;

	d->failed |= series_ratio(a, b, &e) != 0;
	if (d->failed || !e.n)
		strcpy(buf, "an unknown part");
	else if (e.n < STATS_MIN_N)
		snprintf(buf, FORMAT_MAX, "%.1f%% ?", 100 * e.mid);
	else
		snprintf(buf, FORMAT_MAX, "%.1f%% [%.1f,%.1f]", 100 * e.mid, 100 * e.lo,
			 100 * e.hi);
	return buf;
}

static void say_decided(struct doc *d, const struct spacing *g, const char *name)
{
	const struct place *at = &g->at[g->lo], *last = &g->at[g->nr - 1];
	char part[FORMAT_MAX], before[FORMAT_MAX];

	if (g->lo)
		doc_add(d, DOC_ITEM,
			"%s: %" PRId64 " bytes. At %" PRId64 " bytes they run at %s of the rate at "
			"%" PRId64 " bytes, at %" PRId64 " bytes at %s.",
			name, at->distance, at->distance, part_text(d, part, at->s, last->s),
			last->distance, at[-1].distance, part_text(d, before, at[-1].s, last->s));
	else
		doc_add(d, DOC_ITEM,
			"%s: %" PRId64 " bytes, the smallest measured. There they run at %s of the "
			"rate at %" PRId64 " bytes.",
			name, at->distance, part_text(d, part, at->s, last->s), last->distance);
}

static void say_open(struct doc *d, const struct spacing *g, const char *name)
{
	if (g->nr < 2)
		doc_add(d, DOC_ITEM, "%s: cannot tell, only %" PRId64 " bytes were measured.", name,
			g->at[0].distance);
	else if (g->lo == g->nr - 1)
		doc_add(d, DOC_ITEM,
			"%s: cannot tell, it gains up to %" PRId64 " bytes, the largest measured.",
			name, g->at[g->lo].distance);
	else if (g->hi < 0)
		doc_add(d, DOC_ITEM,
			"%s: cannot tell, at least %" PRId64 " bytes; more blocks are needed.",
			name, g->at[g->lo].distance);
	else
		doc_add(d, DOC_ITEM,
			"%s: cannot tell, %" PRId64 " to %" PRId64
			" bytes; more blocks are needed.",
			name, g->at[g->lo].distance, g->at[g->hi].distance);
}

static void say_all(struct doc *d, const struct spacings *all)
{
	const struct spacing *most = NULL;
	bool open = false, even = false;
	const struct spacing *g;
	char part[FORMAT_MAX];

	for (g = all->group; g < all->group + all->nr; g++) {
		open |= !decided(g);
		even |= text_same(result_param_text(g->at[0].s->c, "parity"), "even");
		if (decided(g) && (!most || g->at[g->lo].distance > most->at[most->lo].distance))
			most = g;
	}
	if (open || !most)
		doc_add(d, DOC_STRONG, "Which spacing this machine needs: cannot tell.");
	else
		doc_add(d, DOC_STRONG,
			"This machine needs %" PRId64 "-byte spacing: at %" PRId64
			" bytes %d writers run at %s of the rate at %" PRId64 " bytes.",
			most->at[most->lo].distance, most->at[most->lo].distance,
			most->at[0].s->c->nr_workers,
			part_text(d, part, most->at[most->lo].s, most->at[most->nr - 1].s),
			most->at[most->nr - 1].distance);
	if (!even)
		doc_add(d, DOC_ITEM,
			"The first field was in odd lines only: lines that a prefetcher joins to pairs "
			"were not measured.");
}

/* ---------------------------------------------------------------------------- table */

static const struct series *find(const struct spacing *g, int64_t distance)
{
	int i;

	for (i = 0; i < g->nr; i++)
		if (g->at[i].distance == distance)
			return g->at[i].s;
	return NULL;
}

/* the smallest distance of any group above @after; -1: none */
static int64_t next_distance(const struct spacings *all, int64_t after)
{
	int64_t next = -1;
	int i, k;

	for (i = 0; i < all->nr; i++)
		for (k = 0; k < all->group[i].nr; k++)
			if (all->group[i].at[k].distance > after &&
			    (next < 0 || all->group[i].at[k].distance < next))
				next = all->group[i].at[k].distance;
	return next;
}

static void table(struct doc *d, const struct spacings *all)
{
	const struct result_case *c;
	const struct spacing *g;
	int64_t distance = -1;

	doc_table(d,
		  "Accesses/s of writers, and the change against the largest distance, in bytes");
	doc_col(d, DOC_NUM_KEY, "distance");
	for (g = all->group; g < all->group + all->nr; g++) {
		c = g->at[0].s->c;
		doc_col(d, DOC_NUM, "op %s, %s\n%d writers", result_param_text(c, "op"),
			result_param_text(c, "parity"), c->nr_workers);
		doc_col(d, DOC_NUM, "against\n%" PRId64, g->at[g->nr - 1].distance);
	}
	while ((distance = next_distance(all, distance)) >= 0) {
		doc_cell(d, "%" PRId64, distance);
		for (g = all->group; g < all->group + all->nr; g++) {
			cell_rate(d, find(g, distance));
			cell_ratio(d, find(g, distance), g->at[g->nr - 1].s);
		}
	}
}

void spacing_sections(struct doc *d, const struct series_set *set)
{
	struct spacings all = {0};
	char name[160];
	int i;

	if (find_groups(set, &all))
		d->failed = true;
	else if (all.nr) {
		doc_section(d, "spacing", "Which spacing this machine needs");
		say_all(d, &all);
		for (i = 0; i < all.nr; i++) {
			setting(name, sizeof(name), &all.group[i]);
			(decided(&all.group[i]) ? say_decided : say_open)(d, &all.group[i], name);
		}
		if (all.nr_left_out)
			doc_add(d, DOC_ITEM, "Cases of further settings, not shown here: %d.",
				all.nr_left_out);
		doc_add(d, DOC_PARA,
			"The spacing is the smallest measured distance from which no larger one gains "
			"more than 5%%, judged by the 95%% interval.");
		table(d, &all);
	}
	for (i = 0; i < all.nr; i++)
		free(all.group[i].at);
}
