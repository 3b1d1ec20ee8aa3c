/* SPDX-License-Identifier: MIT */
/*
 * rows.h - cases of one experiment as the rows of a table: only what differs becomes a column
 *
 * Fill c and nr, call rows_find_varying() once, then the others in any order. Borrows everything.
 */
#ifndef CHARGELINE_REPORTS_ROWS_H
#define CHARGELINE_REPORTS_ROWS_H

#include "doc.h"
#include "results.h"

struct rows {
	const struct result_case **c;
	int nr; /* >= 1 */
	const char *params[EXPERIMENT_MAX_PARAMS];
	bool varies[EXPERIMENT_MAX_PARAMS];
	int nr_params;
	bool placements, homes, pairs; /* is a column */
};

void rows_find_varying(struct rows *rows);

/* what all of them have in common, as a sentence of its own */
void rows_say_fixed(struct doc *d, const struct rows *rows);

/* the columns that name a row, the number of workers last; and the cells of one row under them */
void rows_key_columns(struct doc *d, const struct rows *rows);
void rows_key_cells(struct doc *d, const struct rows *rows, const struct result_case *c);

/* a row in words, "page_counter batch=64, 2 workers"; free() it; NULL when out of memory */
char *rows_label(const struct rows *rows, const struct result_case *c);

#endif
