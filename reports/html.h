/* SPDX-License-Identifier: MIT */
/* html.h - what the parts of the HTML writer share */
#ifndef CHARGELINE_REPORTS_HTML_H
#define CHARGELINE_REPORTS_HTML_H

#include "doc.h"
#include "err.h"

/* text of any kind as content or as a quoted attribute */
void html_text(FILE *to, const char *s);

/* in numbers "+-" is one sign */
void html_number(FILE *to, const char *s);

/* html_heat.c: a heat map, and the style rules that a page with one needs */
void html_heat_style(FILE *to);
void html_heat(FILE *to, const struct doc_block *b);

/* html_figure.c: plots and lines; @no_plots: why none can be drawn, kept from plot to plot */
void html_figure_style(FILE *to);
void html_plot(FILE *to, const struct doc_block *b, struct err *no_plots);
void html_lines(FILE *to, const struct doc_block *b);

#endif
