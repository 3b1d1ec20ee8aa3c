/* SPDX-License-Identifier: MIT */
/* A plot in gnuplot's language. */
#include "gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define MAX_TICKS 32
#define FONT	  16

/* 'single quotes': in them gnuplot knows no escape, no command and no variable */
static void quoted(FILE *to, const char *s)
{
	fputc('\'', to);
	for (; *s; s++) {
		if (*s == '\'')
			fputs("''", to);
		else
			fputc((unsigned char)*s < ' ' || (unsigned char)*s > '~' ? '?' : *s, to);
	}
	fputc('\'', to);
}

/* a number in every locale */
static void number(FILE *to, double v)
{
	char text[40], *c;

	snprintf(text, sizeof(text), "%.9g", v);
	for (c = text; *c; c++)
		if (*c == ',')
			*c = '.';
	fputs(text, to);
}

static bool is_line(const struct doc_curve *c)
{
	return c->kind != DOC_AT && c->kind != DOC_AT_PREDICTED;
}

/* a step of 1, 2, 2.5 or 5 tens that takes about 5 ticks to @top */
static double nice_step(double top)
{
	double ten = pow(10, floor(log10(top / 5))), part = top / 5 / ten;

	return ten * (part > 5 ? 10 : part > 2.5 ? 5 : part > 2 ? 2.5 : part > 1 ? 2 : 1);
}

static void tick_label(FILE *to, double v, double top, bool si)
{
	static const char *const prefix[] = {"", " k", " M", " G", " T"};
	int i = si && top > 0 ? (int)(floor(log10(top)) / 3) : 0;

	i = i < 0 ? 0 : i > 4 ? 4 : i;
	fputc('\'', to);
	number(to, v / pow(1000, i));
	fprintf(to, "%s' ", v > 0 ? prefix[i] : "");
	number(to, v);
}

/* from 0 to a bit over the largest value */
static void upright_axis(FILE *to, const struct doc_plot *p, const char *axis, bool right)
{
	const struct doc_curve *c;
	double top = 0, step;
	int i, k;

	for (i = 0; i < p->nr; i++) {
		c = &p->curves[i];
		for (k = 0; k < c->nr && is_line(c) && (c->kind == DOC_RIGHT) == right; k++) {
			top = fmax(top, c->points[k].y);
			if (isfinite(c->points[k].hi) && c->points[k].hi < 2 * c->points[k].y)
				top = fmax(top, c->points[k].hi);
		}
	}
	top = top > 0 ? top * 1.06 : 1;
	step = nice_step(top);
	fprintf(to, "set %srange [0:", axis);
	number(to, top);
	fprintf(to, "]\nset %stics %s(", axis, right ? "" : "nomirror ");
	for (i = 0; i * step <= top; i++) {
		fputs(i ? ", " : "", to);
		tick_label(to, i * step, top, !right && !p->percent);
	}
	fputs(")\n", to);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool round_number(double x)
{
	return x > 0 && fabs(log2(x) - lround(log2(x))) < 1e-9;
}

/* the values there are, but for those that would touch; powers of two stay */
static void level_ticks(FILE *to, const struct doc_plot *p, double *x, int nr)
{
	double shown[MAX_TICKS] = {0}, room = p->log_x ? log2(x[nr - 1] / x[0]) / 9 : 0;
	int i, n = 0;

	if (!p->log_x)
		room = (x[nr - 1] - x[0]) / 9;
	for (i = 0; i < nr; i++) {
		double gap = !n		? INFINITY
			     : p->log_x ? log2(x[i] / shown[n - 1])
					: x[i] - shown[n - 1];

		if (gap >= room && n < MAX_TICKS)
			shown[n++] = x[i];
		else if (round_number(x[i]) && !round_number(shown[n - 1]))
			shown[n - 1] = x[i];
	}
	fputs("set xtics nomirror (", to);
	for (i = 0; i < n; i++) {
		fprintf(to, "%s'", i ? ", " : "");
		number(to, shown[i]);
		fputs("' ", to);
		number(to, shown[i]);
	}
	fputs(")\n", to);
}

static int level_axis(FILE *to, const struct doc_plot *p)
{
	double *x, lo, hi;
	int i, k, n = 0;

	for (i = 0; i < p->nr; i++)
		n += p->curves[i].nr;
	x = malloc((n + 1) * sizeof(*x));
	if (!x)
		return -ENOMEM;
	for (n = 0, i = 0; i < p->nr; i++)
		for (k = 0; k < p->curves[i].nr && is_line(&p->curves[i]); k++)
			x[n++] = p->curves[i].points[k].x;
	if (!n) {
		free(x);
		return -ENODATA;
	}
	qsort(x, n, sizeof(*x), by_value);
	lo = x[0];
	hi = x[n - 1];
	fputs("set xrange [", to);
	number(to, p->log_x ? lo / 1.2 : lo - 0.05 * (hi - lo) - (hi == lo));
	fputs(":", to);
	number(to, p->log_x ? hi * 1.2 : hi + 0.05 * (hi - lo) + (hi == lo));
	fputs("]\n", to);
	level_ticks(to, p, x, n);
	free(x);
	return 0;
}

static void colour(FILE *to, const struct doc_curve *c)
{
	fprintf(to, " lc rgb '#%02x%02x%02x'", GNUPLOT_CURVE, c->kind, c->style);
}

/* right: dots, each style its own; predictions: dashes */
static void dashes(FILE *to, const struct doc_curve *c)
{
	if (c->kind == DOC_PREDICTED || c->kind == DOC_AT_PREDICTED)
		fputs(" dt (8,5)", to);
	else if (c->kind == DOC_RIGHT)
		fprintf(to, " dt (%s)", c->style % 2 ? "2,4" : "9,3,2,3");
	else
		fputs(" dt solid", to);
}

static bool has_interval(const struct doc_point *p)
{
	return isfinite(p->lo) && isfinite(p->hi);
}

/* the same data three times: line, signs, intervals */
static void data(FILE *to, const struct doc_curve *c, bool intervals)
{
	int i;

	for (i = 0; i < c->nr; i++) {
		if (intervals && !has_interval(&c->points[i]))
			continue;
		number(to, c->points[i].x);
		fputc(' ', to);
		number(to, c->points[i].y);
		if (intervals) {
			fputc(' ', to);
			number(to, c->points[i].lo);
			fputc(' ', to);
			number(to, c->points[i].hi);
		}
		fputc('\n', to);
	}
	fputs("e\n", to);
}

static bool any_interval(const struct doc_curve *c)
{
	int i = 0;

	while (i < c->nr && !has_interval(&c->points[i]))
		i++;
	return i < c->nr;
}

static void marks(FILE *to, const struct doc_plot *p)
{
	const struct doc_curve *c;
	int i;

	for (i = 0; i < p->nr; i++) {
		c = &p->curves[i];
		if (is_line(c) || !c->nr)
			continue;
		fputs("set arrow from ", to);
		number(to, c->points[0].x);
		fputs(", graph 0 to ", to);
		number(to, c->points[0].x);
		fputs(", graph 1 nohead lw 2", to);
		colour(to, c);
		dashes(to, c);
		fputc('\n', to);
	}
}

static void curves(FILE *to, const struct doc_plot *p)
{
	const struct doc_curve *c;
	const char *sep = "plot ";
	int i;

	for (i = 0; i < p->nr; i++, sep = c->nr && is_line(c) ? ", " : sep) {
		c = &p->curves[i];
		if (!is_line(c) || !c->nr)
			continue;
		fprintf(to, "%s'-' %swith lines lw 2", sep,
			c->kind == DOC_RIGHT ? "axes x1y2 " : "");
		colour(to, c);
		dashes(to, c);
		if (c->kind == DOC_RIGHT)
			continue;
		fputs(", '-' with points pt 6 ps 0.9", to);
		colour(to, c);
		if (any_interval(c)) {
			fputs(", '-' with yerrorbars pt 0 lw 1", to);
			colour(to, c);
		}
	}
	fputc('\n', to);
	for (i = 0; i < p->nr; i++) {
		c = &p->curves[i];
		if (!is_line(c) || !c->nr)
			continue;
		data(to, c, false);
		if (c->kind == DOC_RIGHT)
			continue;
		data(to, c, false);
		if (any_interval(c))
			data(to, c, true);
	}
}

int gnuplot_script(FILE *to, const struct doc_plot *p)
{
	int rc;

	fprintf(to,
		"set encoding utf8\nset terminal svg size %d,%d dashed noenhanced font 'sans,%d'\n"
		"unset key\nset border 3\nset tics scale 0.6\nset bars 0.6\n"
		"set grid ytics lc rgb '#%02x0000' dt solid\nset xlabel ",
		GNUPLOT_WIDTH, GNUPLOT_HEIGHT, FONT, GNUPLOT_GRID);
	quoted(to, p->x);
	fputs("\nset ylabel ", to);
	quoted(to, p->y);
	fputc('\n', to);
	if (p->log_x)
		fputs("set logscale x 2\n", to);
	rc = level_axis(to, p);
	if (rc)
		return rc;
	upright_axis(to, p, "y", false);
	if (p->right) {
		fputs("set border 11\nset y2label ", to);
		quoted(to, p->right);
		fputc('\n', to);
		upright_axis(to, p, "y2", true);
	}
	marks(to, p);
	curves(to, p);
	return ferror(to) ? -EIO : 0;
}
