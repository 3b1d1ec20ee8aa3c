/* SPDX-License-Identifier: MIT */
/*
 * How near each subject comes to what one line can take: its updates of a shared line per second as
 * a fraction of contended_line's fetch_add by as many workers.
 */
#include "report_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "text.h"

#define SEED 0x6c696d6974 /* of every bootstrap: the same files give the same report */

/* a series that counts its shared updates, and the limit beside it */
struct held {
	const struct series *s, *limit;
	struct estimate fraction; /* n == 0: no common block */
	struct estimate updates;  /* of one line, per second */
	int64_t work_ns;
	bool shown;
};

struct hold {
	struct held *h;
	int nr, nr_no_limit;
};

/* ------------------------------------------------------------------------- per line */

static int metric(const struct result_case *c, const char *name)
{
	int i = 0;

	while (i < c->nr_metrics && i < EXPERIMENT_MAX_METRICS &&
	       !text_same(c->metrics[i].name, name))
		i++;
	return i < c->nr_metrics && i < EXPERIMENT_MAX_METRICS ? i : -1;
}

/*
 * What a case counts of its updates of shared lines. shared_updates are of one line, or are calls
 * that update each line of a tree once (page_counter, memcg_stock, charge_path). Writes of a
 * hierarchical rule are those of all its levels together.
 */
static const struct counted {
	const char *metric, *rule; /* rule: the parameter that may say hierarchical */
} counted[] = {{"shared_updates", ""}, {"shared_writes", "rule"}, {"stat_writes", "stats"}};
#define NR_COUNTED 3

/* how to get from a window to the updates of the busiest line */
struct per_line {
	int metric[NR_COUNTED]; /* -1: not counted */
	int64_t lines[NR_COUNTED];
	int messages; /* per operation; -1: not counted */
	double factor;
};

static bool find_per_line(const struct result_case *c, struct per_line *p)
{
	bool any = false;
	const char *rule;
	int k, at;

	*p = (struct per_line){.messages = metric(c, "messages"), .factor = 1};
	for (k = 0; k < NR_COUNTED; k++) {
		at = p->metric[k] = metric(c, counted[k].metric);
		p->lines[k] = 1;
		if (at < 0)
			continue;
		any = true;
		rule = result_param_text(c, counted[k].rule);
		if (rule && !strncmp(rule, "hierarchical", 12))
			result_param(c, "depth", &p->lines[k]);
		/* a message is an operation on either side */
		if (p->messages < 0 && text_same(c->metrics[at].unit, "per message") &&
		    text_same(result_param_text(c, "uncharge"), "other_cpu"))
			p->factor = 0.5;
		if (p->lines[k] < 1)
			return false;
	}
	return any;
}

/* NaN: nothing was counted */
static double updates_of(const struct sample *s, const struct per_line *p)
{
	double most = NAN;
	int k;

	for (k = 0; k < NR_COUNTED; k++)
		if (p->metric[k] >= 0)
			most = fmax(most, s->metrics[p->metric[k]] / p->lines[k]);
	return s->rate * p->factor * most * (p->messages < 0 ? 1 : s->metrics[p->messages]);
}

/* ------------------------------------------------------------------------ the limit */

static bool is_limit(const struct result_case *c)
{
	int64_t work_ns = 0, log = 0;

	if (!text_same(c->experiment, "contended_line") ||
	    !text_same(result_param_text(c, "op"), "fetch_add"))
		return false;
	result_param(c, "work_ns", &work_ns);
	result_param(c, "log", &log);
	return !work_ns && !log;
}

const struct series *limit_series(const struct series_set *set, const struct result_case *c)
{
	const struct result_case *l;
	int i;

	for (i = 0; i < set->nr; i++) {
		l = set->s[i].c;
		if (is_limit(l) && l->nr_workers == c->nr_workers &&
		    text_same(l->placement, c->placement) && text_same(l->home, c->home))
			return &set->s[i];
	}
	return NULL;
}

int limit_updates(const struct series *s, double *per_op)
{
	double *x = malloc(((size_t)s->nr_valid + 1) * sizeof(*x)), v;
	struct per_line p;
	int i, n = 0;

	if (!x)
		return -ENOMEM;
	*per_op = NAN;
	for (i = 0; find_per_line(s->c, &p) && i < s->nr_valid; i++) {
		v = updates_of(s->valid[i].s, &p) / s->valid[i].s->rate;
		if (isfinite(v))
			x[n++] = v;
	}
	if (n)
		*per_op = stats_median(x, n);
	free(x);
	return 0;
}

static bool has_limit(const struct series_set *set)
{
	int i = 0;

	while (i < set->nr && !is_limit(set->s[i].c))
		i++;
	return i < set->nr;
}

static const struct estimate nothing = {.lo = -INFINITY, .hi = INFINITY};

/* windows of the same block against each other; a window without updates is a fraction of 0 */
static int estimate(struct held *h, const struct per_line *p)
{
	const struct series *s = h->s, *l = h->limit;
	double *x = malloc((2 * (size_t)s->nr_valid + 1) * sizeof(*x)), *all, v;
	int i, k = 0, n = 0, nr_all = 0, rc;

	h->fraction = h->updates = nothing;
	if (!x)
		return -ENOMEM;
	all = x + s->nr_valid;
	for (i = 0; i < s->nr_valid; i++) {
		v = updates_of(s->valid[i].s, p);
		if (!isfinite(v))
			continue;
		all[nr_all++] = v;
		while (k < l->nr_valid && l->valid[k].pair < s->valid[i].pair)
			k++;
		if (k < l->nr_valid && l->valid[k].pair == s->valid[i].pair &&
		    l->valid[k].s->rate > 0)
			x[n++] = v / l->valid[k].s->rate;
	}
	rc = n ? stats_median_ci(x, n, SEED, &h->fraction) : 0;
	if (!rc && nr_all)
		rc = stats_median_ci(all, nr_all, SEED, &h->updates);
	free(x);
	return rc;
}

static int hold_all(const struct series_set *set, struct hold *out)
{
	struct per_line p;
	struct held *h;
	int i, rc = 0;

	out->h = calloc(set->nr + 1, sizeof(*out->h));
	if (!out->h)
		return -ENOMEM;
	for (i = 0; i < set->nr && !rc; i++) {
		if (!find_per_line(set->s[i].c, &p))
			continue;
		h = &out->h[out->nr];
		*h = (struct held){.s = &set->s[i], .limit = limit_series(set, set->s[i].c)};
		result_param(set->s[i].c, "work_ns", &h->work_ns);
		if (h->limit) {
			rc = estimate(h, &p);
			out->nr++;
		} else {
			out->nr_no_limit++;
		}
	}
	return rc;
}

/* ------------------------------------------------------------------------- the rows */

static bool same_row(const struct held *a, const struct held *b)
{
	return text_same(a->s->c->experiment, b->s->c->experiment) && a->limit == b->limit &&
	       a->work_ns == b->work_ns;
}

static bool differs(const struct hold *all, const struct held *h, const char *param)
{
	int i;

	for (i = 0; i < all->nr; i++)
		if (same_row(&all->h[i], h) && !text_same(result_param_text(all->h[i].s->c, param),
							  result_param_text(h->s->c, param)))
			return true;
	return false;
}

/* "layout v6_15, batch 8": what is not the same in all cases of the row */
static void which(const struct hold *all, const struct held *h, char *buf, size_t size)
{
	const struct result_case *c = h->s->c;
	size_t len = 0;
	int i;

	buf[0] = '\0';
	for (i = 0; i < c->nr_params && len < size; i++)
		if (differs(all, h, c->params[i].name))
			len += snprintf(buf + len, size - len, "%s%.40s %.40s", len ? ", " : "",
					c->params[i].name, c->params[i].text);
	if (!buf[0])
		snprintf(buf, size, "the only one");
}

static char *fraction_text(char *buf, const struct estimate *e)
{
	if (e->mid < 0.0005)
		return strcpy(buf, e->mid > 0 ? "<0.001" : "0");
	if (e->n < STATS_MIN_N)
		snprintf(buf, FORMAT_MAX, "%.3f ?", e->mid);
	else
		snprintf(buf, FORMAT_MAX, "%.3f [%.3f,%.3f]", e->mid, e->lo, e->hi);
	return buf;
}

static void row(struct doc *d, const struct hold *all, struct held *first)
{
	const struct held *most = NULL;
	double least = INFINITY;
	char buf[FORMAT_MAX], text[200];
	struct held *h;
	int nr = 0;

	for (h = first; h < all->h + all->nr; h++) {
		if (!same_row(h, first))
			continue;
		h->shown = true;
		if (!h->fraction.n)
			continue;
		nr++;
		least = h->fraction.mid < least ? h->fraction.mid : least;
		if (!most || h->fraction.mid > most->fraction.mid)
			most = h;
	}
	doc_cell(d, "%s", first->s->c->experiment);
	doc_cell(d, "%s", format_work(buf, first->work_ns));
	doc_cell(d, "%d", first->s->c->nr_workers);
	cell_rate(d, first->limit);
	doc_cell(d, "%d", nr);
	if (!most) {
		for (nr = 0; nr < 4; nr++)
			doc_absent(d, "no undisturbed windows of one and the same block");
		return;
	}
	if (least > 0 && least < 0.0005)
		doc_cell(d, "<0.001");
	else
		doc_cell(d, "%.3f", least);
	doc_cell(d, "%s", fraction_text(buf, &most->fraction));
	doc_cell(d, "%s", format_rate(buf, &most->updates));
	which(all, most, text, sizeof(text));
	doc_cell(d, "%s", text);
}

static void table(struct doc *d, const struct hold *all)
{
	int i;

	doc_table(d, "Updates of the busiest shared line as a fraction of the limit, by workers");
	doc_col(d, DOC_KEY, "subject");
	doc_col(d, DOC_NUM_KEY, "local\nwork");
	doc_col(d, DOC_NUM_KEY, "workers");
	doc_col(d, DOC_NUM, "limit,\nupdates/s");
	doc_col(d, DOC_NUM, "cases");
	doc_col(d, DOC_NUM, "least");
	doc_col(d, DOC_NUM, "most");
	doc_col(d, DOC_NUM, "its updates\nof a line/s");
	doc_col(d, DOC_WORD, "which case");
	for (i = 0; i < all->nr; i++)
		if (!all->h[i].shown)
			row(d, all, &all->h[i]);
}

/* a limit that is exceeded is none: it is said, not hidden */
static void say_exceeded(struct doc *d, const struct hold *all)
{
	const struct held *h, *most = NULL;
	int i, nr = 0, nr_sure = 0;
	char buf[FORMAT_MAX], text[200];

	for (i = 0; i < all->nr; i++) {
		h = &all->h[i];
		if (!h->fraction.n || h->fraction.mid <= 1)
			continue;
		nr++;
		nr_sure += h->fraction.lo > 1;
		if (!most || h->fraction.mid > most->fraction.mid)
			most = h;
	}
	if (!nr)
		return;
	which(all, most, text, sizeof(text));
	doc_add(d, DOC_STRONG,
		"%d case%s above the limit, %d of them by more than the interval: most by %s, %d "
		"worker%s (%s), at %s of it. There contended_line is not the limit: workers that do "
		"more between two updates can pass the line on at a better moment.",
		nr, nr == 1 ? " is" : "s are", nr_sure, most->s->c->experiment,
		most->s->c->nr_workers, most->s->c->nr_workers == 1 ? "" : "s", text,
		fraction_text(buf, &most->fraction));
}

void limit_sections(struct doc *d, const struct series_set *set)
{
	struct hold all = {0};

	if (!has_limit(set))
		return;
	if (hold_all(set, &all))
		d->failed = true;
	else if (all.nr) {
		doc_section(d, "limit", "How near to the limit of one line");
		doc_add(d, DOC_PARA,
			"No counter on one line can take more updates than contended_line, whose "
			"workers do nothing but fetch_add. A fraction near 1 says that the line is what "
			"holds the subject back. Updates are those of one line: a charge through a tree of counters is one update of each of its lines; of all levels together the mean is taken.");
		say_exceeded(d, &all);
		if (all.nr_no_limit)
			doc_add(d, DOC_ITEM,
				"Cases without a limit beside them, as contended_line was not measured "
				"with their workers, placement and home: %d.",
				all.nr_no_limit);
		table(d, &all);
	}
	free(all.h);
}
