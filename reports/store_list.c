/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <jansson.h>

#include "doc.h"
#include "text.h"

/* ------------------------------------------------------------------------------- text */

static int list_row(void *ctx, const struct store_run *run, struct err *err)
{
	struct doc *d = ctx;
	char bytes[24];

	doc_cell(d, "%.12s", run->digest);
	doc_cell(d, "%s", run->class_name);
	doc_cell(d, "%.16s", run->started);
	doc_cell(d, "%s", run->kernel);
	doc_cell(d, "%s", text_bytes(bytes, sizeof(bytes), run->size));
	doc_cell(d, "%s%s", run->experiments, run->complete ? "" : " (interrupted)");
	return 0;
}

static struct doc *list_doc(const struct store *s)
{
	struct doc *d = doc_new("Runs in %s", store_path(s));

	if (!d)
		return NULL;
	doc_section(d, "runs", "By class and start");
	doc_table(d, "Each run is one result file");
	doc_col(d, DOC_KEY, "digest");
	doc_col(d, DOC_WORD, "class");
	doc_col(d, DOC_WORD, "started, UTC");
	doc_col(d, DOC_WORD, "kernel");
	doc_col(d, DOC_NUM, "size");
	doc_col(d, DOC_WORD, "experiments");
	return d;
}

int store_list_text(struct store *s, const struct store_filter *f, FILE *to, struct err *err)
{
	struct doc *d = list_doc(s);
	int nr;

	if (!d)
		return err_set(err, -ENOMEM, "out of memory");
	nr = store_list(s, f, list_row, d, err);
	if (nr >= 0 && d->failed)
		nr = err_set(err, -ENOMEM, "out of memory");
	if (nr > 0 && doc_write_text(d, to))
		nr = err_set(err, -EIO, "cannot write the list");
	doc_free(d);
	return nr;
}

/* ------------------------------------------------------------------------------- JSON */

static json_t *text_or_null(const char *s)
{
	json_t *j = *s ? json_string(s) : NULL;

	return j ? j : json_null();
}

static int list_object(void *ctx, const struct store_run *run, struct err *err)
{
	json_t *o =
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:b}", "digest",
			  text_or_null(run->digest), "class", text_or_null(run->class_name),
			  "model", text_or_null(run->model), "kernel", text_or_null(run->kernel),
			  "started", text_or_null(run->started), "host", text_or_null(run->host),
			  "experiments", text_or_null(run->experiments), "bytes",
			  (json_int_t)run->size, "complete", run->complete);

	return json_array_append_new(ctx, o) ? err_set(err, -ENOMEM, "out of memory") : 0;
}

int store_list_json(struct store *s, const struct store_filter *f, FILE *to, struct err *err)
{
	json_t *list = json_array();
	int nr;

	if (!list)
		return err_set(err, -ENOMEM, "out of memory");
	nr = store_list(s, f, list_object, list, err);
	if (nr >= 0 && (json_dumpf(list, to, JSON_INDENT(2)) || fputc('\n', to) == EOF))
		nr = err_set(err, -EIO, "cannot write the list");
	json_decref(list);
	return nr;
}
