/* SPDX-License-Identifier: MIT */
/*
 * fields.h - reading JSON strictly: every field is there, of its type and in its range, or named
 *
 * The first refusal stays: after it every getter returns nothing and does nothing, so that a reader
 * is a plain list of getters with one look at rc at the end. The sentence says where:
 * "file 'x': cases[3].samples[7].rate is not a number".
 */
#ifndef CHARGELINE_REPORTS_FIELDS_H
#define CHARGELINE_REPORTS_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct fields {
	const char *path;
	struct err *err;
	int rc;			  /* 0, -EBADMSG after a refusal, or -ENOMEM */
	int case_idx, sample_idx; /* -1: not in one */
	const char *section;	  /* in front of the name: "settings.", or "" */
};

/*
 * fields_read - the bytes of a file, or of a pipe; free() @data
 * -errno of what failed, -EISDIR, -EFBIG over @max bytes; then @data is NULL.
 *
 * fields_parse - bytes as JSON, whatever is in them; json_decref() @root
 * @path: for sentences. -EBADMSG not JSON (with line and column), or it takes more memory than
 * FIELDS_MEMORY: our densest files take two thirds of it, "[[],[],..." takes twice as much.
 */
#define FIELDS_MEMORY(size) (20 * (size_t)(size) + (1 << 20))
int fields_read(const char *path, size_t max, char **data, size_t *size, struct err *err);
int fields_parse(const char *path, const char *data, size_t size, json_t **root, struct err *err);

void field_refuse(struct fields *f, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void field_no_memory(struct fields *f);

/* NULL after a refusal */
const json_t *field_get(struct fields *f, const json_t *o, const char *name);
const json_t *field_object(struct fields *f, const json_t *o, const char *name);

/* @nr: its elements, at most @max; 0 after a refusal */
const json_t *field_list(struct fields *f, const json_t *o, const char *name, size_t max, int *nr);

/* 0 after a refusal; reals are 0..@max, which may be INFINITY, and NaN for null */
bool field_bool(struct fields *f, const json_t *o, const char *name);
int64_t field_int(struct fields *f, const json_t *o, const char *name, int64_t min, int64_t max);
int64_t field_int_or_null(struct fields *f, const json_t *o, const char *name, int64_t min,
			  int64_t max, int64_t absent);
double field_real(struct fields *f, const json_t *o, const char *name, double max);
double field_real_or_null(struct fields *f, const json_t *o, const char *name, double max);

/* free() them, text_tame()d; NULL after a refusal. or_null: NULL for null; or_none: "" for null */
char *field_text(struct fields *f, const json_t *o, const char *name);
char *field_text_or_null(struct fields *f, const json_t *o, const char *name);
char *field_text_or_none(struct fields *f, const json_t *o, const char *name);
char *field_text_value(struct fields *f, const json_t *v, const char *name); /* @v: the value */

#endif
