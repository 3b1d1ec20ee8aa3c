/* SPDX-License-Identifier: MIT */
/*
 * svg.h - gnuplot's drawing, made fit for the page
 *
 * Only paths, signs and texts are taken over, and of them only position, shape and dashes; so
 * whatever the input holds, what is written has no script, no reference and no id. Colours become classes that
 * follow the page: light, dark, print.
 */
#ifndef CHARGELINE_REPORTS_SVG_H
#define CHARGELINE_REPORTS_SVG_H

#include "doc.h"
#include "err.h"

/* the children of an <svg> of GNUPLOT_WIDTH x GNUPLOT_HEIGHT; -EBADMSG not such a drawing */
int svg_embed(const char *drawing, FILE *to, struct err *err);

/* the rules for its classes */
void svg_style(FILE *to);

/* a short piece of the curve and its sign, an <svg> of its own for a legend */
void svg_sample(const struct doc_curve *c, FILE *to);

#endif
