/* SPDX-License-Identifier: MIT */
/*
 * A heat map as HTML: a table with numbers, or where those have no room, one SVG. There each level
 * is one path of horizontal strokes, a cell is one unit and neighbours of one level are one stroke:
 * about 8 bytes a cell, 200 KB for 160 x 160.
 *
 * Colours: viridis from yellow (small) to blue (large). Its lightness falls all the way, so it
 * can be read with any colour vision and printed grey; it is the same on light and dark pages,
 * where only the ground of the absent cells changes.
 */
#include "html.h"

#include <string.h>

#define DARK_FROM 22 /* levels on which text is white */
#define MAX_TICKS 10 /* labels along an axis */
#define CELL_MAX  14 /* px of a cell on a wide page */
#define PLOT_MAX  860

/* viridis at 1, 0.95, ..., 0.2: what is darker cannot be told from a dark page */
static const unsigned char viridis[][3] = {
	{0xfd, 0xe7, 0x25}, {0xdd, 0xe3, 0x18}, {0xbd, 0xdf, 0x26}, {0x9b, 0xd9, 0x3c},
	{0x7a, 0xd1, 0x51}, {0x5e, 0xc9, 0x62}, {0x44, 0xbf, 0x70}, {0x2f, 0xb4, 0x7c},
	{0x22, 0xa8, 0x84}, {0x1e, 0x9c, 0x89}, {0x21, 0x91, 0x8c}, {0x25, 0x84, 0x8e},
	{0x2a, 0x78, 0x8e}, {0x2f, 0x6c, 0x8e}, {0x35, 0x5f, 0x8d}, {0x3b, 0x52, 0x8b},
	{0x41, 0x44, 0x87}};
#define LAST_COLOUR ((int)(sizeof(viridis) / sizeof(viridis[0])) - 1)

static const char rules[] =
	":root{--none:#fff}\n"
	"@media (prefers-color-scheme:dark){:root{--none:#0c0e11}}\n"
	".heat{margin:.8rem 0}\n"
	".heat figcaption{color:var(--soft);font-size:.9rem;margin-bottom:.5rem;max-width:48rem}\n"
	".heat *{print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
	".heat table td,.heat table th{padding:.2rem .35rem;border:1px solid var(--bg)}\n"
	".heat table thead th{text-align:right;vertical-align:bottom}\n"
	".heat tbody tr:nth-child(even),.heat tbody tr:nth-child(even) th:first-child"
	"{background:var(--bg)}\n"
	".plot svg,.scale svg{shape-rendering:crispEdges}\n"
	".plot .x{grid-column:2}\n"
	".plot{display:grid;grid-template-columns:2.6rem 1fr;gap:.2rem}\n"
	".plot svg{display:block;width:100%;height:auto;background:var(--none);"
	"outline:1px solid var(--line)}\n"
	".plot path{stroke-width:1.02;fill:none}\n"
	".plot div{position:relative;min-height:1.2rem;font-size:.75rem;color:var(--soft)}\n"
	".plot span{position:absolute;line-height:1}\n"
	".y span{right:.1rem;transform:translateY(-50%)}\n"
	".x span{transform:translateX(-50%)}\n"
	".scale{max-width:30rem;margin:.6rem 0 0 2.8rem;font-size:.8rem;color:var(--soft)}\n"
	".scale svg{display:block;width:100%;height:.8rem}\n"
	".scale div{display:flex;justify-content:space-between;gap:.5rem}\n"
	".key{display:inline-block;width:.8rem;height:.8rem;vertical-align:-.1rem;"
	"background:var(--none);border:1px solid var(--line)}\n"
	"@media print{:root{--none:#fff}.heat{break-inside:avoid}"
	".heat table td,.heat table th{font-size:6.5pt;padding:.1rem .15rem}}\n";

static int channel(int level, int c)
{
	int at = level * LAST_COLOUR, of = DOC_HEAT_LEVELS - 1, i = at / of, part = at % of;

	if (i == LAST_COLOUR)
		return viridis[i][c];
	return viridis[i][c] + (viridis[i + 1][c] - viridis[i][c]) * part / of;
}

void html_heat_style(FILE *to)
{
	char colour[16];
	int i;

	fputs(rules, to);
	for (i = 0; i < DOC_HEAT_LEVELS; i++) {
		snprintf(colour, sizeof(colour), "#%02x%02x%02x", channel(i, 0), channel(i, 1),
			 channel(i, 2));
		fprintf(to, ".h%d{background:%s;stroke:%s;color:#%s}\n", i, colour, colour,
			i < DARK_FROM ? "000" : "fff");
	}
}

/* ----------------------------------------------------------------------- small: a table */

static void numbers(FILE *to, const struct doc_heat *h)
{
	const struct doc_heat_cell *c = h->cells, *end = c + h->nr_cells;
	int i, k;

	fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", to);
	html_text(to, h->alt);
	fputs("\">\n<table>\n<thead><tr><th scope=\"col\">from \\ to</th>", to);
	for (i = 0; i < h->nr; i++) {
		fputs("<th scope=\"col\">", to);
		html_text(to, h->labels[i]);
		fputs("</th>", to);
	}
	fputs("</tr></thead>\n<tbody>\n", to);
	for (i = 0; i < h->nr; i++) {
		fputs("<tr><th scope=\"row\" class=\"n\">", to);
		html_text(to, h->labels[i]);
		fputs("</th>", to);
		for (k = 0; k < h->nr; k++) {
			if (c == end || c->row != i || c->col != k) {
				fprintf(to, "<td class=\"n\">%s</td>", i == k ? "" : "-");
				continue;
			}
			fprintf(to, "<td class=\"n h%d\">", c->level);
			html_number(to, c++->text);
			fputs("</td>", to);
		}
		fputs("</tr>\n", to);
	}
	fputs("</tbody>\n</table>\n</div>\n", to);
}

/* ------------------------------------------------------------------------ large: a plot */

static void level_path(FILE *to, const struct doc_heat *h, int level)
{
	const struct doc_heat_cell *c = h->cells;
	int i, run;

	fprintf(to, "<path class=\"h%d\" d=\"", level);
	for (i = 0; i < h->nr_cells; i += run) {
		run = 1;
		if (c[i].level != level)
			continue;
		while (i + run < h->nr_cells && c[i + run].level == level &&
		       c[i + run].row == c[i].row && c[i + run].col == c[i].col + run)
			run++;
		fprintf(to, "M%d %dh%d", c[i].col, c[i].row, run);
	}
	fputs("\"></path>\n", to);
}

/* a label for every @step-th row, at the middle of the cell, in parts of the whole */
static void axis(FILE *to, const struct doc_heat *h, const char *name, const char *side)
{
	static const int steps[] = {1, 2, 4, 5, 8, 10, 16, 20, 32, 40, 64, 80, 100, 128};
	int s = 0, step, i, permille;

	while (s < (int)(sizeof(steps) / sizeof(steps[0])) - 1 && h->nr > MAX_TICKS * steps[s])
		s++;
	for (step = steps[s]; h->nr > MAX_TICKS * step; step *= 2)
		;
	fprintf(to, "<div class=\"%s\" aria-hidden=\"true\">", name);
	for (i = 0; i < h->nr; i += step) {
		permille = (int)((2 * i + 1) * 1000LL / (2 * h->nr));
		fprintf(to, "<span style=\"%s:%d.%d%%\">", side, permille / 10, permille % 10);
		html_text(to, h->labels[i]);
		fputs("</span>", to);
	}
	fputs("</div>", to);
}

static void plot(FILE *to, const struct doc_heat *h)
{
	int i;

	fprintf(to, "<div class=\"plot\" style=\"max-width:%dpx\">\n",
		h->nr < PLOT_MAX / CELL_MAX ? h->nr * CELL_MAX : PLOT_MAX);
	axis(to, h, "y", "top");
	fprintf(to,
		"<svg viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"",
		h->nr, h->nr);
	html_text(to, h->alt);
	fputs("\">\n<g transform=\"translate(0 .5)\">\n", to);
	for (i = 0; i < DOC_HEAT_LEVELS; i++)
		level_path(to, h, i);
	fputs("</g></svg>\n", to);
	axis(to, h, "x", "left");
	fputs("</div>\n", to);
}

static void scale(FILE *to, const struct doc_heat *h)
{
	int i;

	fprintf(to,
		"<div class=\"scale\">\n<svg viewBox=\"0 0 %d 1\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\">",
		DOC_HEAT_LEVELS);
	for (i = 0; i < DOC_HEAT_LEVELS; i++)
		fprintf(to, "<path class=\"h%d\" d=\"M%d .5h1\"></path>", i, i);
	fputs("</svg>\n<div>", to);
	for (i = 0; i < h->nr_ticks; i++) {
		fputs("<span>", to);
		html_text(to, h->ticks[i]);
		fputs("</span>", to);
	}
	fputs("</div>\n", to);
	if (h->nr_cells < (long long)h->nr * (h->nr - 1))
		fputs("<p><span class=\"key\"></span> no number</p>\n", to);
	fputs("</div>\n", to);
}

void html_heat(FILE *to, const struct doc_block *b)
{
	fputs("<figure class=\"heat\">\n<figcaption>", to);
	html_text(to, b->text);
	fputs("</figcaption>\n", to);
	if (b->heat.nr <= DOC_HEAT_NUMBERS)
		numbers(to, &b->heat);
	else
		plot(to, &b->heat);
	scale(to, &b->heat);
	fputs("</figure>\n", to);
}
