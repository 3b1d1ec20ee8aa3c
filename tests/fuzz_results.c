/* SPDX-License-Identifier: MIT */
/*
 * fuzz_results - what becomes of a result file that somebody made up
 *
 * What loads is shown in every way there is: text, page, matrix, pick, compare with itself. What is
 * shown holds no control character, and what loads is written and read again.
 */
#include "fuzz.h"

#include "compare.h"
#include "report.h"
#include "results.h"

static void show_report(const struct results *r)
{
	const struct pick_options options = {.margin = 0.03};
	const struct results *const set[] = {r, r};
	struct err err = ERR_INIT;
	struct report *rep = NULL;
	char *text = NULL;
	size_t size = 0, page;
	FILE *to;

	if (report_build(set, 1, &options, &rep, &err)) {
		if (!*err.msg)
			abort();
		return;
	}
	to = open_memstream(&text, &size);
	report_text(rep, to);
	fflush(to);
	page = size;
	report_html(rep, to);
	report_csv(rep, NULL, to, NULL);
	fclose(to);
	fuzz_no_control(text, size);
	/* of the page: in the text above it a name may be spelt so */
	if (strcasestr(text + page, "<script"))
		abort();
	free(text);
	report_free(rep);
}

static void show_comparison(const struct results *r)
{
	struct compare *c;
	char *text = NULL;
	size_t size = 0;
	FILE *to;

	if (compare_new(&c))
		return;
	if (!compare_add(c, 0, r, NULL) && !compare_add(c, 1, r, NULL) &&
	    !compare_make(c, 0.03, NULL)) {
		to = open_memstream(&text, &size);
		compare_text(c, to);
		compare_json(c, to);
		fclose(to);
		fuzz_no_control(text, size);
		free(text);
	}
	compare_free(c);
}

/* a file of this program's, from whatever was read, is one that it reads */
static void write_again(const struct results *r)
{
	static char path[64];
	struct results *again = NULL;
	struct err err = ERR_INIT;

	if (!*path) {
		snprintf(path, sizeof(path), "/dev/shm/chargeline-fuzz-XXXXXX");
		close(mkstemp(path));
	}
	if (results_save(r, path, &err) || results_load(&again, path, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	if (again->nr_cases != r->nr_cases || again->seed != r->seed)
		abort();
	results_free(again);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct results *r = NULL;
	struct err err = ERR_INIT;
	int rc = results_parse(&r, (const char *)data, size, "made-up", &err);

	if (rc) {
		if (r || !*err.msg)
			abort();
		fuzz_no_control(err.msg, strlen(err.msg));
		return 0;
	}
	show_report(r);
	show_comparison(r);
	write_again(r);
	results_free(r);
	return 0;
}
