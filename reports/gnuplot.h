/* SPDX-License-Identifier: MIT */
/*
 * gnuplot.h - a plot drawn by gnuplot; gnuplot_script.c says what, gnuplot.c runs it
 *
 * The program is found by PATH and reads one script, in which data are numbers and titles are quoted
 * strings: nothing that a result file holds is run or interpreted. Names of curves do not
 * get there at all, the page has them in its own legend. It is given GNUPLOT_SECONDS.
 */
#ifndef CHARGELINE_REPORTS_GNUPLOT_H
#define CHARGELINE_REPORTS_GNUPLOT_H

#include "doc.h"
#include "err.h"

#define GNUPLOT_SECONDS 5
#define GNUPLOT_WIDTH	520
#define GNUPLOT_HEIGHT	350

/*
 * A curve's colour says what it is, for whoever reads the drawing: rgb(1, kind, style); the grid is
 * rgb(2, 0, 0). What is neither is an axis or a text.
 */
#define GNUPLOT_CURVE 1
#define GNUPLOT_GRID  2

/* the script of a plot; 0, -ENODATA no curve has a point, -EIO, -ENOMEM */
int gnuplot_script(FILE *to, const struct doc_plot *p);

/*
 * gnuplot_draw - what gnuplot wrote, to be freed
 * -ENODATA no curve has a point; -ENOENT it is not installed, the sentence says what to install;
 * -ETIME it took too long; -EIO it failed, with its last line of complaint; -ENOMEM.
 */
int gnuplot_draw(const struct doc_plot *p, char **svg, struct err *err);

#endif
