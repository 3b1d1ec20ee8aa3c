/* SPDX-License-Identifier: MIT */
/*
 * doc.h - a report as sections, sentences and tables, ready to be printed
 *
 * Who fills it decides every word and every digit; a writer (text.c, html.c) only sets it. So all
 * writers say the same, and a new writer is one function.
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
	DOC_TABLE,
	DOC_HEATMAP, /* a square of numbers, some of them absent, as colours */
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

struct doc_block {
	enum doc_kind kind;
	char *key;  /* DOC_FACT */
	char *text; /* DOC_TABLE, DOC_HEATMAP: its caption */
	struct doc_table table;
	struct doc_heat heat;
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

/* 0 or -EIO; text is ASCII in at most DOC_WIDTH columns, HTML is one page that needs nothing else */
#define DOC_WIDTH 100
int doc_write_text(const struct doc *d, FILE *to);
int doc_write_html(const struct doc *d, FILE *to);

#endif
