/* SPDX-License-Identifier: MIT */
/*
 * doc.h - a report as sections, sentences and tables, ready to be printed
 *
 * Who fills it decides every word and every digit; a writer (text.c, html.c, markdown.c) only sets
 * it. So all writers say the same, and a new writer is one function. Figures (plots, pictures of
 * lines) are drawn by the page alone: whoever adds one adds a table with its numbers.
 *
 * Adding never fails: when memory is short, failed is set and stays set, and nothing more is kept.
 * Text comes as printf formats and is taken as it is; escaping is the writers' work.
 */
#ifndef CHARGELINE_REPORTS_DOC_H
#define CHARGELINE_REPORTS_DOC_H

#include <stdbool.h>
#include <stdio.h>

#define DOC_PRINTF(a, b) __attribute__((format(printf, a, b)))

enum doc_kind {
	DOC_PARA,
	DOC_STRONG,  /* the sentence a reader must not miss */
	DOC_ITEM,    /* neighbours make one list */
	DOC_FACT,    /* a key and its value */
	DOC_COMMAND, /* to be typed: never changed but for line ends */
	DOC_DRAWING, /* lines that stay as they are, in letters of one width */
	DOC_TABLE,
	DOC_HEATMAP, /* a square of numbers, some of them absent, as colours */
	DOC_PLOT,    /* curves; see doc_plot() */
	DOC_LINES,   /* structs as their cache lines; see doc_lines() */
};

enum doc_col {
	DOC_KEY = 1,  /* names the row; keys come first and are repeated when a table is split */
	DOC_WORD = 0, /* set to the left */
	DOC_NUM = 2,  /* set to the right; a writer may set "+-" as one sign */
	DOC_NUM_KEY = DOC_NUM | DOC_KEY,
};

struct doc_column {
	char *head; /* may hold one '\n' */
	enum doc_col kind;
};

struct doc_table {
	struct doc_column *cols;
	char **cells; /* row by row */
	char **notes; /* what the marks (a), (b), ... in cells mean */
	int nr_cols, nr_cells, nr_notes;
};

/*
 * A level is a colour, from DOC_HEAT_LEVELS of them, the smallest number first. Up to DOC_HEAT_TEXT
 * rows the text shows the cells, up to DOC_HEAT_NUMBERS the page does; of more rows the cells need
 * no text, the page has the colours and the text only the words for it.
 */
#define DOC_HEAT_LEVELS	 32
#define DOC_HEAT_TEXT	 16
#define DOC_HEAT_NUMBERS 32

struct doc_heat_cell {
	int row, col, level;
	char *text; /* NULL: over DOC_HEAT_NUMBERS rows */
};

struct doc_heat {
	char **labels;		     /* of the rows, and of the columns */
	struct doc_heat_cell *cells; /* those there are, by row and column */
	char **ticks; /* of the scale, evenly spaced from the first to the last level */
	char *alt;    /* what it shows, in words */
	int nr, nr_cells, nr_ticks;
};

/*
 * A plot: curves over one axis. What is not measured looks otherwise (dashes, hollow signs) and is
 * said to be a prediction by the writer, so no one who adds a curve can forget it. Two curves of one style belong together: a measured one and its
 * prediction, or what is said about it.
 */
enum doc_curve_kind {
	DOC_MEASURED,
	DOC_PREDICTED,	  /* by the model */
	DOC_RIGHT,	  /* against the right axis, computed */
	DOC_AT,		  /* an upright line at the x of its point */
	DOC_AT_PREDICTED, /* the same, by the model or by a law */
};

/* lo and hi are the interval of y, NaN where there is none; x ascends */
struct doc_point {
	double x, y, lo, hi;
};

struct doc_curve {
	char *name;
	enum doc_curve_kind kind;
	int style; /* colour and sign, 0 .. DOC_STYLES - 1 */
	struct doc_point *points;
	int nr;
};

#define DOC_STYLES 8 /* that can be told apart */

struct doc_axes {
	const char *x, *y, *right; /* titles, with units; right: NULL none */
	bool log_x;		   /* to base 2: batches, workers */
	bool percent;		   /* y is in percent; else its ticks have SI prefixes */
};

struct doc_plot {
	const char *id; /* constant; of the figure in the page */
	char *alt;	/* what it shows, a sentence or two */
	char *x, *y, *right;
	bool log_x, percent;
	struct doc_curve *curves;
	int nr;
};

/* the structs' fields by line; what they are to each other under load */
enum doc_role {
	DOC_UNUSED,  /* not touched */
	DOC_READ,    /* read only */
	DOC_WRITTEN, /* written: every other CPU loses the line */
};

struct doc_field {
	char *name;
	int offset, size; /* bytes, from the start of a line that the struct begins in */
	enum doc_role role;
};

struct doc_lines {
	char *alt;
	struct doc_field *fields; /* of the struct, by offset */
	int nr;
};

struct doc_block {
	enum doc_kind kind;
	char *key;  /* DOC_FACT */
	char *text; /* DOC_TABLE, DOC_HEATMAP: its caption */
	struct doc_table table;
	struct doc_heat heat;
	struct doc_plot plot;
	struct doc_lines lines;
};

struct doc_section {
	const char *id, *title; /* constants */
	struct doc_block *blocks;
	int nr_blocks;
};

struct doc {
	char *title;
	struct doc_section *sections;
	int nr_sections;
	bool failed;
};

/* NULL when out of memory */
struct doc *doc_new(const char *fmt, ...) DOC_PRINTF(1, 2);
void doc_free(struct doc *d);

void doc_section(struct doc *d, const char *id, const char *title);
void doc_add(struct doc *d, enum doc_kind kind, const char *fmt, ...) DOC_PRINTF(3, 4);
void doc_fact(struct doc *d, const char *key, const char *fmt, ...) DOC_PRINTF(3, 4);

/* a table: its caption, its columns, then its cells row by row */
void doc_table(struct doc *d, const char *fmt, ...) DOC_PRINTF(2, 3);
void doc_col(struct doc *d, enum doc_col kind, const char *fmt, ...) DOC_PRINTF(3, 4);
void doc_cell(struct doc *d, const char *fmt, ...) DOC_PRINTF(2, 3);
void doc_absent(struct doc *d, const char *why); /* a cell "-(a)", and what (a) means */

/* a heat map: its caption and its words, then its labels, its cells and the ticks of its scale */
void doc_heatmap(struct doc *d, const char *alt, const char *fmt, ...) DOC_PRINTF(3, 4);
void doc_heat_label(struct doc *d, const char *fmt, ...) DOC_PRINTF(2, 3);
void doc_heat_cell(struct doc *d, int row, int col, int level, const char *text); /* or NULL */
void doc_heat_tick(struct doc *d, const char *fmt, ...) DOC_PRINTF(2, 3);

/* a plot: its caption; then its curves, and the points of each */
void doc_plot(struct doc *d, const char *id, const struct doc_axes *axes, const char *alt,
	      const char *fmt, ...) DOC_PRINTF(5, 6);
void doc_curve(struct doc *d, enum doc_curve_kind kind, int style, const char *fmt, ...)
	DOC_PRINTF(4, 5);
void doc_point(struct doc *d, double x, double y, double lo, double hi);

/* one struct as its lines: its name; then its fields, ascending */
void doc_lines(struct doc *d, const char *alt, const char *fmt, ...) DOC_PRINTF(3, 4);
void doc_field(struct doc *d, int offset, int size, enum doc_role role, const char *name);

bool doc_is_figure(const struct doc_block *b); /* drawn by the page only */

/* 0 or -EIO; text is ASCII in at most DOC_WIDTH columns, HTML is one page that needs nothing else */
#define DOC_WIDTH 100
int doc_write_text(const struct doc *d, FILE *to);
int doc_write_markdown(const struct doc *d, FILE *to);
int doc_write_html(const struct doc *d, FILE *to);

#endif
