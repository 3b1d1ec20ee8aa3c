/* SPDX-License-Identifier: MIT */
#include "doc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* room for one more; arrays double at powers of two and need no capacity field */
static bool grow(struct doc *d, void *array, int nr, size_t size)
{
	void **slot = array, *grown;

	if (d->failed)
		return false;
	if (nr & (nr - 1))
		return true;
	grown = realloc(*slot, size * (nr ? 2 * (size_t)nr : 1));
	if (!grown) {
		d->failed = true;
		return false;
	}
	*slot = grown;
	return true;
}

static char *text_of(struct doc *d, const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0) {
		d->failed = true;
		return NULL;
	}
	return text;
}

struct doc *doc_new(const char *fmt, ...)
{
	struct doc *d = calloc(1, sizeof(*d));
	va_list ap;

	if (!d)
		return NULL;
	va_start(ap, fmt);
	d->title = text_of(d, fmt, ap);
	va_end(ap);
	return d;
}

static void free_all(char **texts, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		free(texts[i]);
	free(texts);
}

static void free_heat(struct doc_heat *h)
{
	int i;

	for (i = 0; i < h->nr_cells; i++)
		free(h->cells[i].text);
	free(h->cells);
	free_all(h->labels, h->nr);
	free_all(h->ticks, h->nr_ticks);
	free(h->alt);
}

static void free_plot(struct doc_plot *p)
{
	int i;

	for (i = 0; i < p->nr; i++) {
		free(p->curves[i].name);
		free(p->curves[i].points);
	}
	free(p->curves);
	free(p->alt);
	free(p->x);
	free(p->y);
	free(p->right);
}

static void free_lines(struct doc_lines *l)
{
	int i;

	for (i = 0; i < l->nr; i++)
		free(l->fields[i].name);
	free(l->fields);
	free(l->alt);
}

static void free_block(struct doc_block *b)
{
	int i;

	free_heat(&b->heat);
	free_plot(&b->plot);
	free_lines(&b->lines);
	free(b->key);
	free(b->text);
	for (i = 0; i < b->table.nr_cols; i++)
		free(b->table.cols[i].head);
	free(b->table.cols);
	free_all(b->table.cells, b->table.nr_cells);
	free_all(b->table.notes, b->table.nr_notes);
}

void doc_free(struct doc *d)
{
	int i, k;

	if (!d)
		return;
	for (i = 0; i < d->nr_sections; i++) {
		for (k = 0; k < d->sections[i].nr_blocks; k++)
			free_block(&d->sections[i].blocks[k]);
		free(d->sections[i].blocks);
	}
	free(d->sections);
	free(d->title);
	free(d);
}

void doc_section(struct doc *d, const char *id, const char *title)
{
	if (!grow(d, &d->sections, d->nr_sections, sizeof(*d->sections)))
		return;
	d->sections[d->nr_sections++] = (struct doc_section){.id = id, .title = title};
}

static struct doc_block *new_block(struct doc *d, enum doc_kind kind, const char *fmt, va_list ap)
{
	struct doc_section *s;
	struct doc_block *b;

	if (d->failed)
		return NULL;
	s = &d->sections[d->nr_sections - 1];
	if (!grow(d, &s->blocks, s->nr_blocks, sizeof(*s->blocks)))
		return NULL;
	b = &s->blocks[s->nr_blocks++];
	*b = (struct doc_block){.kind = kind, .text = text_of(d, fmt, ap)};
	return b;
}

void doc_add(struct doc *d, enum doc_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	new_block(d, kind, fmt, ap);
	va_end(ap);
}

void doc_fact(struct doc *d, const char *key, const char *fmt, ...)
{
	struct doc_block *b;
	va_list ap;

	va_start(ap, fmt);
	b = new_block(d, DOC_FACT, fmt, ap);
	va_end(ap);
	if (!b)
		return;
	b->key = strdup(key);
	d->failed |= !b->key;
}

/* ---------------------------------------------------------------------------- tables */

void doc_table(struct doc *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	new_block(d, DOC_TABLE, fmt, ap);
	va_end(ap);
}

/* what is being filled; NULL after a failure */
static struct doc_block *open_block(struct doc *d)
{
	struct doc_section *s;

	if (d->failed)
		return NULL;
	s = &d->sections[d->nr_sections - 1];
	return &s->blocks[s->nr_blocks - 1];
}

static struct doc_table *open_table(struct doc *d)
{
	struct doc_block *b = open_block(d);

	return b ? &b->table : NULL;
}

void doc_col(struct doc *d, enum doc_col kind, const char *fmt, ...)
{
	struct doc_table *t = open_table(d);
	va_list ap;

	if (!t || !grow(d, &t->cols, t->nr_cols, sizeof(*t->cols)))
		return;
	va_start(ap, fmt);
	t->cols[t->nr_cols++] = (struct doc_column){text_of(d, fmt, ap), kind};
	va_end(ap);
}

void doc_cell(struct doc *d, const char *fmt, ...)
{
	struct doc_table *t = open_table(d);
	va_list ap;

	if (!t || !grow(d, &t->cells, t->nr_cells, sizeof(*t->cells)))
		return;
	va_start(ap, fmt);
	t->cells[t->nr_cells++] = text_of(d, fmt, ap);
	va_end(ap);
}

void doc_absent(struct doc *d, const char *why)
{
	struct doc_table *t = open_table(d);
	int i;

	if (!t)
		return;
	for (i = 0; i < t->nr_notes && strcmp(t->notes[i], why); i++)
		;
	if (i == t->nr_notes) {
		if (!grow(d, &t->notes, t->nr_notes, sizeof(*t->notes)))
			return;
		t->notes[t->nr_notes++] = strdup(why);
		d->failed |= !t->notes[i];
	}
	doc_cell(d, "-(%c)", 'a' + i % 26);
}

/* ------------------------------------------------------------------------- heat maps */

void doc_heatmap(struct doc *d, const char *alt, const char *fmt, ...)
{
	struct doc_block *b;
	va_list ap;

	va_start(ap, fmt);
	b = new_block(d, DOC_HEATMAP, fmt, ap);
	va_end(ap);
	if (!b)
		return;
	b->heat.alt = strdup(alt);
	d->failed |= !b->heat.alt;
}

void doc_heat_label(struct doc *d, const char *fmt, ...)
{
	struct doc_block *b = open_block(d);
	va_list ap;

	if (!b || !grow(d, &b->heat.labels, b->heat.nr, sizeof(char *)))
		return;
	va_start(ap, fmt);
	b->heat.labels[b->heat.nr++] = text_of(d, fmt, ap);
	va_end(ap);
}

void doc_heat_tick(struct doc *d, const char *fmt, ...)
{
	struct doc_block *b = open_block(d);
	va_list ap;

	if (!b || !grow(d, &b->heat.ticks, b->heat.nr_ticks, sizeof(char *)))
		return;
	va_start(ap, fmt);
	b->heat.ticks[b->heat.nr_ticks++] = text_of(d, fmt, ap);
	va_end(ap);
}

void doc_heat_cell(struct doc *d, int row, int col, int level, const char *text)
{
	struct doc_block *b = open_block(d);
	struct doc_heat_cell *c;

	if (!b || !grow(d, &b->heat.cells, b->heat.nr_cells, sizeof(*c)))
		return;
	c = &b->heat.cells[b->heat.nr_cells++];
	*c = (struct doc_heat_cell){row, col, level, text ? strdup(text) : NULL};
	d->failed |= text && !c->text;
}

/* --------------------------------------------------------------------------- figures */

bool doc_is_figure(const struct doc_block *b)
{
	return b->kind == DOC_PLOT || b->kind == DOC_LINES;
}

static char *copy(struct doc *d, const char *s)
{
	char *text = s ? strdup(s) : NULL;

	d->failed |= s && !text;
	return text;
}

void doc_plot(struct doc *d, const char *id, const struct doc_axes *axes, const char *alt,
	      const char *fmt, ...)
{
	struct doc_block *b;
	va_list ap;

	va_start(ap, fmt);
	b = new_block(d, DOC_PLOT, fmt, ap);
	va_end(ap);
	if (!b)
		return;
	b->plot = (struct doc_plot){.id = id,
				    .alt = copy(d, alt),
				    .x = copy(d, axes->x),
				    .y = copy(d, axes->y),
				    .right = copy(d, axes->right),
				    .log_x = axes->log_x,
				    .percent = axes->percent};
}

void doc_curve(struct doc *d, enum doc_curve_kind kind, int style, const char *fmt, ...)
{
	struct doc_block *b = open_block(d);
	va_list ap;

	if (!b || !grow(d, &b->plot.curves, b->plot.nr, sizeof(*b->plot.curves)))
		return;
	va_start(ap, fmt);
	b->plot.curves[b->plot.nr++] = (struct doc_curve){
		.name = text_of(d, fmt, ap), .kind = kind, .style = style % DOC_STYLES};
	va_end(ap);
}

void doc_point(struct doc *d, double x, double y, double lo, double hi)
{
	struct doc_block *b = open_block(d);
	struct doc_curve *c = b && b->plot.nr ? &b->plot.curves[b->plot.nr - 1] : NULL;

	if (c && grow(d, &c->points, c->nr, sizeof(*c->points)))
		c->points[c->nr++] = (struct doc_point){x, y, lo, hi};
}

void doc_lines(struct doc *d, const char *alt, const char *fmt, ...)
{
	struct doc_block *b;
	va_list ap;

	va_start(ap, fmt);
	b = new_block(d, DOC_LINES, fmt, ap);
	va_end(ap);
	if (b)
		b->lines.alt = copy(d, alt);
}

void doc_field(struct doc *d, int offset, int size, enum doc_role role, const char *name)
{
	struct doc_block *b = open_block(d);

	if (b && grow(d, &b->lines.fields, b->lines.nr, sizeof(*b->lines.fields)))
		b->lines.fields[b->lines.nr++] =
			(struct doc_field){copy(d, name), offset, size, role};
}
