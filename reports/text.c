/* SPDX-License-Identifier: MIT */
/* A doc as plain text for a terminal and for mail: ASCII, at most DOC_WIDTH columns. */
#include "doc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INDENT	 2
#define GAP	 2
#define CELL_MAX 40 /* longer cells are cut: a CPU list may be of any length */
#define FACT_KEY 10

/* One column per character: a control character or what is not ASCII becomes one '?'. */
static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static int width(const char *s, size_t len)
{
	int n = 0;

	while (len--)
		n += starts_character(*s++);
	return n;
}

/* blanks are owed until something follows them: no line ends in blanks */
struct out {
	FILE *to;
	int owed;
};

static void put(struct out *o, const char *s, size_t len)
{
	if (len)
		fprintf(o->to, "%*s", o->owed, "");
	for (o->owed = len ? 0 : o->owed; len--; s++)
		if (starts_character(*s))
			fputc(*s < ' ' || *s > '~' ? '?' : *s, o->to);
}

static void puts_const(struct out *o, const char *s)
{
	put(o, s, strlen(s));
}

static void spaces(struct out *o, int n)
{
	o->owed += n > 0 ? n : 0;
}

static void newline(struct out *o)
{
	o->owed = 0;
	fputc('\n', o->to);
}

/* ------------------------------------------------------------------------ paragraphs */

/* words from column @at on, further lines from column @indent on; a longer word is broken */
static void wrap(struct out *o, const char *s, int at, int indent)
{
	int col = at, w;
	size_t len;

	for (; *s; s += len + strspn(s + len, " ")) {
		len = strcspn(s, " ");
		w = width(s, len);
		if (col > at && col + 1 + w > DOC_WIDTH) {
			newline(o);
			spaces(o, indent);
			col = at = indent;
		}
		if (col > at) {
			spaces(o, 1);
			col++;
		}
		while (len && width(s, len) > DOC_WIDTH - col)
			len--;
		put(o, s, len);
		col += width(s, len);
	}
	newline(o);
}

/* to be pasted into a shell: a line that goes on ends in a backslash, at a space where there is one */
static void command(struct out *o, const char *s)
{
	size_t room = DOC_WIDTH - INDENT - 1, len, cut;

	while (*s) {
		len = strlen(s);
		spaces(o, INDENT);
		if (len <= room) {
			put(o, s, len);
			newline(o);
			return;
		}
		for (cut = room; cut && s[cut - 1] != ' '; cut--)
			;
		cut = cut ? cut : room;
		put(o, s, cut);
		puts_const(o, "\\");
		newline(o);
		s += cut;
	}
}

/* line by line; what is too wide is broken, not cut */
static void drawing(struct out *o, const char *s)
{
	const char *end;
	int col;

	for (; *s; s = *end ? end + 1 : end) {
		end = strchrnul(s, '\n');
		for (col = 0; s < end; s++) {
			if (col >= DOC_WIDTH && starts_character(*s)) {
				newline(o);
				col = 0;
			}
			if (*s == ' ')
				spaces(o, 1);
			else
				put(o, s, 1);
			col += starts_character(*s);
		}
		newline(o);
	}
}

/* ---------------------------------------------------------------------------- tables */

static size_t cell_len(const char *s)
{
	size_t len = strlen(s);

	while (width(s, len) > CELL_MAX)
		len--;
	return len;
}

static void cell(struct out *o, const char *s, size_t len, int w, enum doc_col kind)
{
	int fill = w - width(s, len);

	if (kind & DOC_NUM)
		spaces(o, fill);
	put(o, s, len);
	if (!(kind & DOC_NUM))
		spaces(o, fill);
}

static size_t head_line(const char *head, int line, const char **start)
{
	const char *end = strchr(head, '\n');

	*start = line && end ? end + 1 : head;
	if (line)
		return end ? strlen(*start) : 0;
	return end ? (size_t)(end - head) : strlen(head);
}

static int *column_widths(const struct doc_table *t)
{
	int *w = calloc(t->nr_cols + 1, sizeof(*w)), i, line, cw;
	const char *start;
	size_t len;

	for (i = 0; w && i < t->nr_cols; i++) {
		for (line = 0; line < 2; line++) {
			len = head_line(t->cols[i].head, line, &start);
			cw = width(start, len);
			w[i] = cw > w[i] ? cw : w[i];
		}
	}
	for (i = 0; w && i < t->nr_cells; i++) {
		cw = width(t->cells[i], cell_len(t->cells[i]));
		w[i % t->nr_cols] = cw > w[i % t->nr_cols] ? cw : w[i % t->nr_cols];
	}
	return w;
}

/* a part of a table: the keys, and the columns from..to */
struct part {
	const struct doc_table *t;
	const int *w;
	int nr_keys, from, to, nr_lines;
};

static bool in_part(const struct part *p, int col)
{
	return col < p->nr_keys || (col >= p->from && col < p->to);
}

static int head_lines(const struct part *p)
{
	int i;

	for (i = 0; i < p->t->nr_cols; i++)
		if (in_part(p, i) && strchr(p->t->cols[i].head, '\n'))
			return 2;
	return 1;
}

static void head(struct out *o, const struct part *p, int line)
{
	const char *start;
	size_t len;
	int i;

	spaces(o, INDENT - GAP);
	for (i = 0; i < p->t->nr_cols; i++) {
		if (!in_part(p, i))
			continue;
		/* one line only: beside the second of the others */
		len = head_line(p->t->cols[i].head, line, &start);
		if (p->nr_lines == 2 && !strchr(p->t->cols[i].head, '\n'))
			len = line ? head_line(p->t->cols[i].head, 0, &start) : 0;
		spaces(o, GAP);
		cell(o, start, len, p->w[i], p->t->cols[i].kind);
	}
	newline(o);
}

static void rule(struct out *o, const struct part *p)
{
	int i, k;

	for (i = 0; i < p->t->nr_cols; i++) {
		if (!in_part(p, i))
			continue;
		spaces(o, GAP);
		for (k = 0; k < p->w[i]; k++)
			puts_const(o, "-");
	}
	newline(o);
}

static void rows(struct out *o, const struct part *p)
{
	int nr_cols = p->t->nr_cols, row, i;
	const char *s;

	for (row = 0; (row + 1) * nr_cols <= p->t->nr_cells; row++) {
		for (i = 0; i < nr_cols; i++) {
			if (!in_part(p, i))
				continue;
			s = p->t->cells[row * nr_cols + i];
			spaces(o, GAP);
			cell(o, s, cell_len(s), p->w[i], p->t->cols[i].kind);
		}
		newline(o);
	}
}

/* as many columns as fit, at least one; the keys are in every part */
static int part_end(const struct part *p)
{
	int used = 0, i;

	for (i = 0; i < p->nr_keys; i++)
		used += GAP + p->w[i];
	for (i = p->from; i < p->t->nr_cols; i++) {
		used += GAP + p->w[i];
		if (used > DOC_WIDTH && i > p->from)
			break;
	}
	return i;
}

static int table(struct out *o, const struct doc_block *b)
{
	struct part p = {.t = &b->table};
	int *w = column_widths(p.t), i;
	char mark[8];

	if (!w)
		return -ENOMEM;
	p.w = w;
	while (p.nr_keys < p.t->nr_cols && p.t->cols[p.nr_keys].kind & DOC_KEY)
		p.nr_keys++;
	wrap(o, b->text, 0, 0);
	for (p.from = p.nr_keys; p.from < p.t->nr_cols; p.from = p.to) {
		if (p.from > p.nr_keys)
			newline(o);
		p.to = part_end(&p);
		p.nr_lines = head_lines(&p);
		for (i = 0; i < p.nr_lines; i++)
			head(o, &p, i);
		rule(o, &p);
		rows(o, &p);
	}
	for (i = 0; i < p.t->nr_notes; i++) {
		snprintf(mark, sizeof(mark), "  (%c) ", 'a' + i % 26);
		puts_const(o, mark);
		wrap(o, p.t->notes[i], 6, 6);
	}
	free(w);
	return 0;
}

/* ------------------------------------------------------------------------- heat maps */

/* the square as a table: the labels, then the cells; nothing in it is owned */
static void square(const struct doc_heat *h, struct doc_table *t)
{
	static char corner[] = "from", diagonal[] = "", absent[] = "-";
	int i, k;

	t->nr_cols = h->nr + 1;
	t->nr_cells = h->nr * t->nr_cols;
	t->cols[0] = (struct doc_column){corner, DOC_NUM_KEY};
	for (i = 0; i < h->nr; i++) {
		t->cols[i + 1] = (struct doc_column){h->labels[i], DOC_NUM};
		t->cells[i * t->nr_cols] = h->labels[i];
		for (k = 0; k < h->nr; k++)
			t->cells[i * t->nr_cols + k + 1] = i == k ? diagonal : absent;
	}
	for (i = 0; i < h->nr_cells; i++)
		t->cells[h->cells[i].row * t->nr_cols + h->cells[i].col + 1] = h->cells[i].text;
}

static int heatmap(struct out *o, const struct doc_block *b)
{
	struct doc_block shown = {.text = b->text};
	int nr = b->heat.nr, rc = -ENOMEM;

	if (nr > DOC_HEAT_TEXT) {
		wrap(o, b->text, 0, 0);
		wrap(o, b->heat.alt, 0, 0);
		return 0;
	}
	shown.table.cols = calloc(nr + 1, sizeof(*shown.table.cols));
	shown.table.cells = calloc(nr * (nr + 1) + 1, sizeof(*shown.table.cells));
	if (shown.table.cols && shown.table.cells) {
		square(&b->heat, &shown.table);
		rc = table(o, &shown);
	}
	free(shown.table.cols);
	free(shown.table.cells);
	return rc;
}

/* -------------------------------------------------------------------------- the page */

static void underline(struct out *o, const char *s, const char *with)
{
	int n = width(s, strlen(s));

	wrap(o, s, 0, 0);
	for (n = n < DOC_WIDTH ? n : DOC_WIDTH; n > 0; n--)
		puts_const(o, with);
	newline(o);
}

static int block(struct out *o, const struct doc_block *b, const struct doc_block *before)
{
	/* lists and facts stay together, all else stands apart */
	if (before && (before->kind != b->kind || b->kind == DOC_PARA || b->kind >= DOC_DRAWING))
		newline(o);
	switch (b->kind) {
	case DOC_PARA:
	case DOC_STRONG:
		wrap(o, b->text, 0, 0);
		return 0;
	case DOC_ITEM:
		puts_const(o, "- ");
		wrap(o, b->text, 2, 2);
		return 0;
	case DOC_FACT:
		puts_const(o, b->key);
		spaces(o, FACT_KEY - width(b->key, strlen(b->key)));
		wrap(o, b->text, FACT_KEY, FACT_KEY);
		return 0;
	case DOC_COMMAND:
		command(o, b->text);
		return 0;
	case DOC_DRAWING:
		drawing(o, b->text);
		return 0;
	case DOC_TABLE:
		return table(o, b);
	case DOC_HEATMAP:
		return heatmap(o, b);
	case DOC_PLOT:
	case DOC_LINES:
		return 0;
	}
	return 0;
}

int doc_write_text(const struct doc *d, FILE *to)
{
	struct out out = {to, 0}, *o = &out;
	const struct doc_block *before;
	const struct doc_section *s;
	int i, k, rc = 0;

	underline(o, d->title, "=");
	for (i = 0; !rc && i < d->nr_sections; i++) {
		s = &d->sections[i];
		newline(o);
		underline(o, s->title, "-");
		for (k = 0, before = NULL; !rc && k < s->nr_blocks; k++) {
			if (doc_is_figure(&s->blocks[k]))
				continue;
			rc = block(o, &s->blocks[k], before);
			before = &s->blocks[k];
		}
	}
	return rc ? rc : ferror(to) ? -EIO : 0;
}
