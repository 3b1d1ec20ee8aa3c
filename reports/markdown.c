/* SPDX-License-Identifier: MIT */
/*
 * A doc as Markdown with tables (CommonMark and GitHub's tables), for a wiki. Text is shown, never
 * markup: signs that could begin something are escaped, "<", ">" and "&" as entities, since wikis
 * let HTML through. Figures are the page's alone; their numbers stand in tables.
 */
#include "doc.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static bool in_word(const char *s, const char *at)
{
	return at > s && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
}

/* does @at begin a list, a heading, a rule or a numbered item of a line? */
static bool begins_line(const char *s, const char *at)
{
	bool blank = at[1] == ' ' || !at[1] || at[1] == *at;
	const char *c;

	if (strchr("#+-=", *at))
		return at == s && blank;
	if (*at != '.' && *at != ')')
		return false;
	for (c = s; c < at && isdigit((unsigned char)*c); c++)
		;
	return c == at && at > s && blank;
}

static void sign(FILE *to, const char *s, const char *at)
{
	unsigned char c = *at;

	if (c == '<')
		fputs("&lt;", to);
	else if (c == '>')
		fputs("&gt;", to);
	else if (c == '&')
		fputs("&amp;", to);
	else if (c == '\n')
		fputc(' ', to);
	else if (c < ' ' || c == 0x7f)
		fputc('?', to);
	else if (strchr("\\`*[]|$", c) || (c == '_' && !in_word(s, at)) ||
		 (c == '~' && (at[1] == '~' || (at > s && at[-1] == '~'))) || begins_line(s, at))
		fprintf(to, "\\%c", c);
	else
		fputc(c, to);
}

static void text(FILE *to, const char *s)
{
	const char *at;

	for (at = s; *at; at++)
		sign(to, s, at);
}

static void number(FILE *to, const char *s)
{
	const char *pm = strstr(s, "+-"), *at;

	for (at = s; *at; at++) {
		if (at == pm) {
			fputs("&plusmn;", to);
			at++;
		} else {
			sign(to, s, at);
		}
	}
}

/* between fences that are longer than any run of them inside; @kept: line ends stay */
static void fenced(FILE *to, const char *language, const char *s, bool kept)
{
	int longest = 2, run = 0, i;
	const char *at;

	for (at = s; *at; at++) {
		run = *at == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (i = 0; i <= longest; i++)
		fputc('`', to);
	fprintf(to, "%s\n", language);
	for (at = s; *at; at++) {
		if (kept && *at == '\n')
			fputc('\n', to);
		else
			fputc((unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at, to);
	}
	if (!kept || at == s || at[-1] != '\n')
		fputc('\n', to);
	for (i = 0; i <= longest; i++)
		fputc('`', to);
	fputc('\n', to);
}

/* ---------------------------------------------------------------------------- tables */

static void caption(FILE *to, const char *s)
{
	fputs("**", to);
	text(to, s);
	fputs("**\n\n", to);
}

static void cell(FILE *to, const char *s, enum doc_col kind)
{
	fputs(" ", to);
	if (kind & DOC_NUM)
		number(to, s);
	else
		text(to, s);
	fputs(" |", to);
}

static void table(FILE *to, const struct doc_block *b)
{
	const struct doc_table *t = &b->table;
	int i;

	caption(to, b->text);
	fputc('|', to);
	for (i = 0; i < t->nr_cols; i++)
		cell(to, t->cols[i].head, DOC_WORD);
	fputs("\n|", to);
	for (i = 0; i < t->nr_cols; i++)
		fputs(t->cols[i].kind & DOC_NUM ? "---:|" : "---|", to);
	fputc('\n', to);
	for (i = 0; i < t->nr_cells; i++) {
		if (i % t->nr_cols == 0)
			fputc('|', to);
		cell(to, t->cells[i], t->cols[i % t->nr_cols].kind);
		if (i % t->nr_cols == t->nr_cols - 1)
			fputc('\n', to);
	}
	for (i = 0; i < t->nr_notes; i++) {
		fprintf(to, "%s(%c) ", i ? "  \n" : "\n", 'a' + i % 26);
		text(to, t->notes[i]);
	}
	if (t->nr_notes)
		fputc('\n', to);
}

static void heatmap(FILE *to, const struct doc_block *b)
{
	const struct doc_heat *h = &b->heat;
	const struct doc_heat_cell *c = h->cells, *end = c + h->nr_cells;
	int i, k;

	caption(to, b->text);
	if (h->nr > DOC_HEAT_TEXT) {
		text(to, h->alt);
		fputc('\n', to);
		return;
	}
	fputs("| from \\\\ to |", to);
	for (i = 0; i < h->nr; i++)
		cell(to, h->labels[i], DOC_NUM);
	fputs("\n|---:|", to);
	for (i = 0; i < h->nr; i++)
		fputs("---:|", to);
	fputc('\n', to);
	for (i = 0; i < h->nr; i++) {
		fputc('|', to);
		cell(to, h->labels[i], DOC_NUM);
		for (k = 0; k < h->nr; k++) {
			if (c < end && c->row == i && c->col == k)
				cell(to, c++->text, DOC_NUM);
			else
				cell(to, i == k ? "" : "-", DOC_WORD);
		}
		fputc('\n', to);
	}
}

/* -------------------------------------------------------------------------- the page */

static void block(FILE *to, const struct doc_block *b, const struct doc_block *before)
{
	bool list = b->kind == DOC_ITEM || b->kind == DOC_FACT;

	if (!list || !before || before->kind != b->kind)
		fputc('\n', to);
	switch (b->kind) {
	case DOC_PARA:
		text(to, b->text);
		break;
	case DOC_STRONG:
		fputs("**", to);
		text(to, b->text);
		fputs("**", to);
		break;
	case DOC_ITEM:
		fputs("- ", to);
		text(to, b->text);
		break;
	case DOC_FACT:
		fputs("- **", to);
		text(to, b->key);
		fputs("**: ", to);
		text(to, b->text);
		break;
	case DOC_COMMAND:
		fenced(to, "sh", b->text, false);
		return;
	case DOC_DRAWING:
		fenced(to, "", b->text, true);
		return;
	case DOC_TABLE:
		table(to, b);
		return;
	case DOC_HEATMAP:
		heatmap(to, b);
		return;
	case DOC_PLOT:
	case DOC_LINES:
		return;
	}
	fputc('\n', to);
}

int doc_write_markdown(const struct doc *d, FILE *to)
{
	const struct doc_block *b, *before;
	const struct doc_section *s;
	int i, k;

	fputs("# ", to);
	text(to, d->title);
	fputc('\n', to);
	for (i = 0; i < d->nr_sections; i++) {
		s = &d->sections[i];
		fputs("\n## ", to);
		text(to, s->title);
		fputc('\n', to);
		for (k = 0, before = NULL; k < s->nr_blocks; k++) {
			b = &s->blocks[k];
			if (doc_is_figure(b))
				continue;
			block(to, b, before);
			before = b;
		}
	}
	return ferror(to) ? -EIO : 0;
}
