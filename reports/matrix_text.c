/* SPDX-License-Identifier: MIT */
/* The matrices as sections of a report: what they say, the classes, the numbers as a heat map. */
#include "report_private.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

void matrix_name(const struct matrix *m, char *buf, size_t size)
{
	const struct result_case *c = m->c;
	size_t len = 0;
	int i;

	buf[0] = '\0';
	if (strcmp(c->experiment, "core_to_core"))
		len = snprintf(buf, size, "%.60s, ", c->experiment);
	for (i = 0; i < c->nr_params && len < size; i++)
		len += snprintf(buf + len, size - len, "%.40s %.40s, ", c->params[i].name,
				c->params[i].text);
	if (len < size)
		snprintf(buf + len, size - len, "home %.60s", c->home ? c->home : "unknown");
}

/* "the line lives on the node of the first CPU: nodes 0-1" */
static void home_of(const struct matrix *m, char *buf, size_t size)
{
	static const struct {
		const char *spec, *words;
	} specs[] = {
		{"local", "the line lives on the node of the first CPU"},
		{"farthest", "the line lives on the node farthest from the first CPU"},
		{"interleave", "the lines are dealt round the nodes"},
		{NULL, "the line lives where it was asked for"},
	};
	struct cpulist nodes = {m->nr_home_nodes, m->home_node};
	char list[80];
	int i = 0;

	while (specs[i].spec && strcmp(specs[i].spec, m->c->home ? m->c->home : ""))
		i++;
	if (m->home_node[0] < 0) {
		snprintf(buf, size, "%s%s", specs[i].words,
			 i == 2 ? "" : ", on which node is unknown");
		return;
	}
	cpulist_format(&nodes, list, sizeof(list));
	snprintf(buf, size, "%s: node%s %s", specs[i].words, nodes.nr > 1 ? "s" : "", list);
}

/* ----------------------------------------------------------------------- in short */

static void in_short(struct doc *d, const struct matrix *m, enum doc_kind kind)
{
	char name[160], *text = NULL;
	bool any = false;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int k;

	if (!to) {
		d->failed = true;
		return;
	}
	matrix_name(m, name, sizeof(name));
	name[0] = toupper((unsigned char)name[0]);
	for (k = 0; k < MATRIX_NR; k++) {
		if (!m->class[k].nr_measured)
			continue;
		fprintf(to, "%s%s %.1f ns", any ? ", " : "", matrix_relation_name(k),
			m->class[k].p50);
		any = true;
	}
	if (fclose(to))
		d->failed = true;
	else
		doc_add(d, kind, "%s: %s.", name, any ? text : "no pair has an undisturbed window");
	free(text);
}

/* ------------------------------------------------------------------------ classes */

static void cell_ns(struct doc *d, const struct matrix_class *c, double ns)
{
	if (c->nr_measured)
		doc_cell(d, "%.1f", ns);
	else
		doc_absent(d, "no pair of it has an undisturbed window");
}

static void class_row(struct doc *d, int relation, const struct matrix_class *c)
{
	char buf[FORMAT_MAX];

	doc_cell(d, "%s", matrix_relation_name(relation));
	cell_ns(d, c, c->p50);
	cell_ns(d, c, c->p5);
	cell_ns(d, c, c->p95);
	cell_ns(d, c, c->min);
	cell_ns(d, c, c->max);
	doc_cell(d, "%s", format_count(buf, c->nr_measured));
	if (c->nr_possible)
		doc_cell(d, "%s", format_count(buf, c->nr_possible));
	else
		doc_absent(d, "the files do not say how many there are");
	if (c->nr_both)
		doc_cell(d, "%s", format_percent(buf, round(1000 * c->asymmetry) / 1000));
	else
		doc_absent(d, "no pair has a number in both directions");
}

static void classes(struct doc *d, const struct matrix *m)
{
	char name[160], home[160], cells[FORMAT_MAX], all[FORMAT_MAX];
	int64_t nr = (int64_t)m->nr * (m->nr - 1);
	int k;

	matrix_name(m, name, sizeof(name));
	home_of(m, home, sizeof(home));
	format_count(cells, m->nr_cells);
	format_count(all, nr);
	if (m->exact)
		doc_table(d, "ns by relation, %s: %s. Exact: all %s ordered pairs of %d CPUs", name,
			  home, all, m->nr);
	else
		doc_table(d, "ns by relation, %s: %s. Sampled: %s of %s ordered pairs of %d CPUs",
			  name, home, cells, all, m->nr);
	doc_col(d, DOC_KEY, "relation");
	doc_col(d, DOC_NUM, "median");
	doc_col(d, DOC_NUM, "5%%");
	doc_col(d, DOC_NUM, "95%%");
	doc_col(d, DOC_NUM, "least");
	doc_col(d, DOC_NUM, "most");
	doc_col(d, DOC_NUM, "pairs\nmeasured");
	doc_col(d, DOC_NUM, "of\npossible");
	doc_col(d, DOC_NUM, "directions\ndiffer by");
	for (k = 0; k < MATRIX_NR; k++)
		if (m->class[k].nr_cells)
			class_row(d, k, &m->class[k]);
}

/* ------------------------------------------------------------------------ the notes */

/* how sure the numbers are */
static void certainty(struct doc *d, const struct matrix *m)
{
	double *x = malloc((m->nr_cells + 1) * sizeof(*x)), half;
	int i, n = 0, least = INT_MAX, most = 0;
	char windows[FORMAT_MAX];

	for (i = 0; x && i < m->nr_cells; i++) {
		if (!m->cells[i].ns.n)
			continue;
		least = m->cells[i].ns.n < least ? m->cells[i].ns.n : least;
		most = m->cells[i].ns.n > most ? m->cells[i].ns.n : most;
		half = stats_rel_halfwidth(&m->cells[i].ns);
		if (isfinite(half))
			x[n++] = half;
	}
	if (least < most)
		snprintf(windows, sizeof(windows), "%d to %d windows", least, most);
	else
		snprintf(windows, sizeof(windows), "%d window%s", most, most == 1 ? "" : "s");
	if (!x)
		d->failed = true;
	else if (n)
		doc_add(d, DOC_ITEM,
			"Medians of %s. Half the 95%% interval is %.1f%% in the median, %.1f%% at "
			"most%s.",
			windows, 100 * stats_median(x, n), 100 * stats_quantile(x, n, 1),
			n < m->nr_measured ? "; some have too few windows for one" : "");
	else
		doc_add(d, DOC_ITEM,
			"Medians of %s: too few for an interval, so how sure a number is cannot be "
			"said.",
			windows);
	free(x);
}

static void missing(struct doc *d, const struct matrix *m)
{
	int i, disturbed = 0, idle = 0, none;

	for (i = 0; i < m->nr_cells; i++) {
		if (m->cells[i].ns.n)
			continue;
		disturbed += !m->cells[i].s->nr_valid && m->cells[i].s->nr_marked;
		idle += !!m->cells[i].s->nr_valid;
	}
	none = m->nr_cells - m->nr_measured - disturbed - idle;
	if (disturbed)
		doc_add(d, DOC_ITEM, "Pairs without a number: %d, every window was disturbed.",
			disturbed);
	if (idle)
		doc_add(d, DOC_ITEM, "Pairs without a number: %d, the line did not move.", idle);
	if (none)
		doc_add(d, DOC_ITEM, "Pairs without a number: %d, the run did not come to them.",
			none);
	if (m->nr_dropped)
		doc_add(d, DOC_ITEM,
			"Pairs left out: %d, to which another file gives another relation or home "
			"node. CPUs or nodes are numbered differently there.",
			m->nr_dropped);
}

static void which_rows(struct doc *d, const struct matrix_set *set, const struct matrix *m)
{
	struct cpulist cpus = {m->nr, m->cpu};
	char *text;
	int i;

	for (i = 0; i < set->nr; i++)
		if (&set->m[i] != m && !strcmp(m->protocol ? m->protocol : "",
					       set->m[i].protocol ? set->m[i].protocol : ""))
			break;
	if (i < set->nr && matrix_of_protocol(set, m->protocol ? m->protocol : "") == m)
		doc_add(d, DOC_ITEM, "Of the homes measured, --csv writes this one.");
	if (matrix_rows_are_cpus(m))
		return;
	text = cpulist_text_sorted(&cpus);
	if (text)
		doc_add(d, DOC_ITEM,
			"The numbers of the CPUs have holes or do not start at 0: rows 0 to %d of "
			"--csv are, in this order, CPUs %s.",
			m->nr - 1, text);
	d->failed |= !text;
	free(text);
}

/* ------------------------------------------------------------------------ the section */

static void one_matrix(struct doc *d, const struct matrix_set *set, const struct matrix *m)
{
	classes(d, m);
	if (m->nr_measured) {
		matrix_heatmap(d, m);
		certainty(d, m);
	}
	missing(d, m);
	which_rows(d, set, m);
}

static bool has_pairs(const struct results *r)
{
	int i = 0;

	while (i < r->nr_cases && !series_is_pair(&r->cases[i]))
		i++;
	return i < r->nr_cases;
}

static void several_hosts(struct doc *d, const struct report *rep)
{
	const char *first = NULL, *host;
	int i;

	for (i = 0; i < rep->nr; i++) {
		if (!has_pairs(rep->r[i]))
			continue;
		host = rep->r[i]->machine.hostname ? rep->r[i]->machine.hostname : "";
		if (first && strcmp(first, host)) {
			doc_add(d, DOC_ITEM,
				"The pairs are of several hosts, '%s' and '%s': what a matrix shows "
				"inside a class is a mixture.",
				first, host);
			return;
		}
		first = host;
	}
}

static bool has_protocol(const struct matrix_set *set, const char *protocol)
{
	return set->nr && matrix_of_protocol(set, protocol);
}

static void say(struct doc *d, const struct report *rep, enum doc_kind kind)
{
	const struct matrix_set *set = &rep->matrices;
	bool hidden = false;
	int i;

	for (i = 0; i < set->nr; i++) {
		in_short(d, &set->m[i], kind);
		hidden = matrix_findings(d, &set->m[i], &rep->r[0]->machine, hidden);
	}
}

void matrix_answer(struct doc *d, const struct report *rep)
{
	doc_section(d, "answer", "Latency from CPU to CPU");
	say(d, rep, DOC_STRONG);
}

void matrix_sections(struct doc *d, const struct report *rep, bool answered)
{
	const struct matrix_set *set = &rep->matrices;
	int i;

	if (!set->nr)
		return;
	doc_section(d, "core-to-core", "Core to core");
	doc_add(d, DOC_PARA,
		"A number is one hand-over of a modified line, request and data, one way: neither a "
		"round trip nor the time on a link. The classes are facts about the machine; what "
		"differs inside a class is also about the one line that was measured, whose home "
		"slice is nearer to some CPUs.");
	if (has_protocol(set, "cas"))
		doc_add(d, DOC_ITEM,
			"cas: both sides compare-exchange one line, as multichase's pingpong and "
			"c2clat -w do.");
	if (has_protocol(set, "read"))
		doc_add(d, DOC_ITEM,
			"read: a line each way, written by one side and polled by the other, as "
			"c2clat does; not to be compared with cas.");
	several_hosts(d, rep);
	if (!answered)
		say(d, rep, DOC_ITEM);
	for (i = 0; i < set->nr; i++)
		one_matrix(d, set, &set->m[i]);
}
