/* SPDX-License-Identifier: MIT */
/* Figures: plots, drawn by gnuplot, and structs as their cache lines. */
#include "html.h"

#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "svg.h"

#define LINE 64

static const char rules[] =
	".fig{margin:1rem 0;break-inside:avoid}\n"
	".fig figcaption{font-weight:600;margin-bottom:.3rem;max-width:48rem}\n"
	".legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;"
	"font-size:.85rem;max-width:42rem}\n"
	".fig .legend svg{display:inline-block;width:2.5rem;height:.9rem;vertical-align:-.1rem;"
	"margin-right:.4rem}\n"
	".said{font-size:.9rem;color:var(--soft)}\n"
	".structs{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}\n"
	".struct{margin:.3rem 0;flex:1 1 17rem;max-width:24rem;break-inside:avoid}\n"
	".struct figcaption{font-weight:600}\n"
	".struct ol{list-style:none;margin:.3rem 0;padding:0}\n"
	".struct li{border:1px solid var(--line);margin-bottom:.3rem;padding:.2rem .4rem .35rem;"
	"font-size:.8rem}\n"
	".struct li.hot{border:2px solid var(--s1)}\n"
	".struct p{margin:0 0 .2rem;color:var(--soft)}\n"
	".struct span{display:inline-block;margin:.1rem .2rem .1rem 0;padding:0 .35rem;"
	"border:1px solid var(--line)}\n"
	".struct .w{border:2px solid var(--s1);font-weight:700}\n"
	".struct .r{border-color:var(--s0);border-width:2px}\n"
	".struct .u{color:var(--soft);border-style:dotted}\n";

void html_figure_style(FILE *to)
{
	svg_style(to);
	fputs(rules, to);
}

/* ------------------------------------------------------------------------------ plots */

static const char *suffix(enum doc_curve_kind kind)
{
	return kind == DOC_PREDICTED || kind == DOC_AT_PREDICTED ? " (prediction)" : "";
}

static void legend(FILE *to, const struct doc_plot *p)
{
	const struct doc_curve *c;

	fputs("<ul class=\"legend\">\n", to);
	for (c = p->curves; c < p->curves + p->nr; c++) {
		if (!c->nr)
			continue;
		fputs("<li>", to);
		svg_sample(c, to);
		html_text(to, c->name);
		fprintf(to, "%s</li>\n", suffix(c->kind));
	}
	fputs("</ul>\n", to);
}

/* written only when all of it is there: a page has no half drawing */
static void drawing(FILE *to, const struct doc_block *b, const char *svg)
{
	fprintf(to, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", GNUPLOT_WIDTH,
		GNUPLOT_HEIGHT);
	html_text(to, b->text);
	fputs("\">\n<title>", to);
	html_text(to, b->text);
	fputs("</title>\n<desc>", to);
	html_text(to, b->plot.alt);
	fprintf(to, "</desc>\n%s</svg>\n", svg);
	legend(to, &b->plot);
}

static int draw(FILE *to, const struct doc_block *b, struct err *err)
{
	char *raw = NULL, *svg = NULL;
	FILE *mem = NULL;
	size_t size;
	int rc = gnuplot_draw(&b->plot, &raw, err);

	if (rc)
		return rc;
	mem = open_memstream(&svg, &size);
	rc = mem ? svg_embed(raw, mem, err) : err_set(err, -ENOMEM, "out of memory");
	if (mem && fclose(mem) && !rc)
		rc = err_set(err, -ENOMEM, "out of memory");
	if (!rc)
		drawing(to, b, svg);
	free(svg);
	free(raw);
	return rc;
}

/* a program that is missing or hangs once is not asked again for this page */
void html_plot(FILE *to, const struct doc_block *b, struct err *no_plots)
{
	struct err err = ERR_INIT;

	fprintf(to, "<figure class=\"fig\" id=\"plot-%s\">\n<figcaption>", b->plot.id);
	html_text(to, b->text);
	fputs("</figcaption>\n", to);
	if (!no_plots->code && draw(to, b, &err) && err.code != -ENODATA)
		*no_plots = err;
	if (no_plots->code || err.code) {
		fputs("<p class=\"notes\">No plot: ", to);
		html_text(to, no_plots->code ? no_plots->msg : err.msg);
		fputs(". The numbers are in the tables.</p>\n", to);
	}
	fputs("<p class=\"said\">", to);
	html_text(to, b->plot.alt);
	fputs("</p>\n</figure>\n", to);
}

/* ------------------------------------------------------------------------------ lines */

static const struct role {
	const char *name, *class;
} roles[] = {[DOC_UNUSED] = {"not touched", "u"},
	     [DOC_READ] = {"read", "r"},
	     [DOC_WRITTEN] = {"written", "w"}};

static void one_line(FILE *to, const struct doc_lines *l, int line)
{
	int i, nr[3] = {0};

	for (i = 0; i < l->nr; i++)
		if (l->fields[i].offset / LINE == line)
			nr[l->fields[i].role]++;
	if (!nr[0] && !nr[1] && !nr[2])
		return;
	fprintf(to, "<li%s><p>bytes %d to %d%s</p>",
		nr[DOC_WRITTEN] && nr[DOC_READ] ? " class=\"hot\"" : "", line * LINE,
		line * LINE + LINE - 1,
		nr[DOC_WRITTEN] && nr[DOC_READ] ? ": what is read goes with what is written" : "");
	for (i = 0; i < l->nr; i++) {
		if (l->fields[i].offset / LINE != line)
			continue;
		fprintf(to, "<span class=\"%s\">", roles[l->fields[i].role].class);
		html_text(to, l->fields[i].name);
		fprintf(to, "%s%s</span>", l->fields[i].role ? ": " : "",
			l->fields[i].role ? roles[l->fields[i].role].name : "");
	}
	fputs("</li>\n", to);
}

void html_lines(FILE *to, const struct doc_block *b)
{
	int line, last = b->lines.nr ? b->lines.fields[b->lines.nr - 1].offset / LINE : -1;

	fputs("<figure class=\"struct\" aria-label=\"", to);
	html_text(to, b->lines.alt);
	fputs("\">\n<figcaption>", to);
	html_text(to, b->text);
	fputs("</figcaption>\n<ol>\n", to);
	for (line = 0; line <= last; line++)
		one_line(to, &b->lines, line);
	fputs("</ol>\n</figure>\n", to);
}
