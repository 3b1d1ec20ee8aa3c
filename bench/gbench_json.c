/* SPDX-License-Identifier: MIT */
#include "gbench.h"

#include <glob.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const struct gbench_unit gbench_units[4] = {{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}};

const char *const gbench_context_keys[] = {"date",
					   "host_name",
					   "executable",
					   "num_cpus",
					   "mhz_per_cpu",
					   "cpu_scaling_enabled",
					   "caches",
					   "load_avg",
					   "library_version",
					   "library_build_type",
					   "chargeline_version",
					   "machine_class",
					   "window_ns",
					   "warmup_ns",
					   "clock_read_ns",
					   "quantities",
					   NULL};

struct text {
	FILE *f; /* open_memstream: lack of memory shows as its error */
	char *s;
	size_t len;
};

struct gbench_json {
	FILE *to;
	bool rewrite;
	bool any_run, any_error, any_note;
	struct text errors, notes;
	off_t off;	       /* rewrite: where the closing brackets begin */
	char *last;	       /* what was written last */
	size_t tail, tail_len; /* the closing brackets in it */
};

/* --------------------------------------------------------------------- atoms */

/* length of the well-formed UTF-8 sequence at @s (Unicode 15, table 3-7), 0: none */
static size_t utf8_len(const unsigned char *s)
{
	unsigned char lo = 0x80, hi = 0xbf;
	size_t len, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		lo = 0xa0;
	else if (s[0] == 0xed)
		hi = 0x9f;
	else if (s[0] == 0xf0)
		lo = 0x90;
	else if (s[0] == 0xf4)
		hi = 0x8f;
	if (s[1] < lo || s[1] > hi)
		return 0;
	for (i = 2; i < len; i++) /* the terminating 0 ends this */
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return len;
}

void gbench_json_string(FILE *to, const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n;

	fputc('"', to);
	for (; *u; u += n ? n : 1) {
		n = utf8_len(u);
		if (!n)
			fputs("\\ufffd", to);
		else if (*u == '"' || *u == '\\')
			fprintf(to, "\\%c", *u);
		else if (*u < 0x20 || *u == 0x7f)
			fprintf(to, "\\u%04x", *u);
		else
			fwrite(u, 1, n, to);
	}
	fputc('"', to);
}

void gbench_json_number(FILE *to, double v)
{
	const char *point = localeconv()->decimal_point;
	char buf[48], *at;
	int digits;

	if (!isfinite(v)) {
		fputs("null", to);
		return;
	}
	for (digits = 15; digits < 18; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	at = strcmp(point, ".") ? strstr(buf, point) : NULL;
	if (at)
		fprintf(to, "%.*s.%s", (int)(at - buf), buf, at + strlen(point));
	else
		fputs(buf, to);
}

static void number_above_0(FILE *to, double v)
{
	gbench_json_number(to, v > 0 ? v : NAN);
}

/* a member of an object on a line of its own; its value is to follow */
static void member(FILE *to, int indent, bool first, const char *key)
{
	fprintf(to, "%s\n%*s", first ? "" : ",", indent, "");
	gbench_json_string(to, key);
	fputs(": ", to);
}

static void member_string(FILE *to, int indent, const char *key, const char *value)
{
	member(to, indent, false, key);
	if (value)
		gbench_json_string(to, value);
	else
		fputs("null", to);
}

static void member_number(FILE *to, int indent, const char *key, double value)
{
	member(to, indent, false, key);
	gbench_json_number(to, value);
}

/* ------------------------------------------------------------------- context */

int gbench_scaling(const char *sys)
{
	char path[256], governor[64];
	int state = -1;
	glob_t found;
	size_t i;
	FILE *f;

	snprintf(path, sizeof(path), "%s/cpu[0-9]*/cpufreq/scaling_governor", sys);
	if (glob(path, 0, NULL, &found))
		return -1;
	for (i = 0; i < found.gl_pathc && state < 1; i++) {
		f = fopen(found.gl_pathv[i], "re");
		if (f && fscanf(f, "%63s", governor) == 1)
			state = strcmp(governor, "performance") != 0;
		if (f)
			fclose(f);
	}
	globfree(&found);
	return state;
}

static void write_date(FILE *to)
{
	char date[64] = "", zone[16] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm)) {
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
		strftime(zone, sizeof(zone), "%z", &tm);
	}
	fprintf(to, "\n    \"date\": \"%s%.3s:%s\"", date, zone, zone + (strlen(zone) > 3 ? 3 : 0));
}

static void write_caches(FILE *to, const struct gbench_context *c)
{
	int i;

	member(to, 4, false, "caches");
	fputc('[', to);
	for (i = 0; i < c->nr_caches; i++) {
		fprintf(to, "%s\n      {\"type\": ", i ? "," : "");
		gbench_json_string(to, c->caches[i].type);
		fprintf(to, ", \"level\": %d, \"size\": %d, \"num_sharing\": %d}",
			c->caches[i].level, c->caches[i].size, c->caches[i].sharing);
	}
	fputs("\n    ]", to);
}

static void write_quantities(FILE *to)
{
	member(to, 4, false, "quantities");
	fputs("{\n"
	      "      \"real_time\": \"wall time of one operation of one worker: workers x window / "
	      "operations\",\n"
	      "      \"cpu_time\": \"the same as real_time: workers spin on CPUs of their own, and "
	      "windows that lost one are thrown away\",\n"
	      "      \"items_per_second\": \"operations per second, all workers together\",\n"
	      "      \"iterations\": \"operations in the window, all workers; of an aggregate: "
	      "runs\",\n"
	      "      \"threads\": \"workers\"\n"
	      "    }",
	      to);
}

static void write_context(FILE *to, const struct gbench_context *c)
{
	int i;

	fputs("{\n  \"context\": {", to);
	write_date(to);
	member_string(to, 4, "host_name", c->host);
	member_string(to, 4, "executable", c->program);
	member_number(to, 4, "num_cpus", c->nr_cpus);
	member(to, 4, false, "mhz_per_cpu");
	number_above_0(to, round(c->mhz));
	member(to, 4, false, "cpu_scaling_enabled");
	fputs(c->scaling < 0 ? "null" : c->scaling ? "true" : "false", to);
	write_caches(to, c);
	member(to, 4, false, "load_avg");
	fputc('[', to);
	for (i = 0; i < c->nr_load; i++) {
		fputs(i ? ", " : "", to);
		gbench_json_number(to, c->load[i]);
	}
	fputc(']', to);
	member_string(to, 4, "library_version", c->library_version);
	member_string(to, 4, "library_build_type", c->build_type);
	member_string(to, 4, "chargeline_version", CHARGELINE_VERSION);
	member_string(to, 4, "machine_class", c->machine_class);
	member_number(to, 4, "window_ns", (double)c->window_ns);
	member_number(to, 4, "warmup_ns", (double)c->warmup_ns);
	member(to, 4, false, "clock_read_ns");
	number_above_0(to, c->clock_read_ns);
	write_quantities(to);
	for (i = 0; i < c->options->nr_context; i++)
		member_string(to, 4, c->options->context[i][0], c->options->context[i][1]);
	fputs("\n  },\n  \"benchmarks\": [", to);
}

/* ---------------------------------------------------------------------- runs */

static void write_run(FILE *to, const struct gbench_run *r)
{
	double time =
		r->error[0] ? NAN : r->seconds * (r->share ? 1 : gbench_units[r->unit].per_second);
	char *name = NULL;
	int i;

	if (r->aggregate && asprintf(&name, "%s_%s", r->name, r->aggregate) < 0)
		name = NULL;
	fputs("\n    {", to);
	member(to, 6, true, "name");
	gbench_json_string(to, name ? name : r->name);
	free(name);
	member_number(to, 6, "family_index", r->family);
	member_number(to, 6, "per_family_instance_index", 0);
	member_string(to, 6, "run_name", r->name);
	member_string(to, 6, "run_type", r->aggregate ? "aggregate" : "iteration");
	member_number(to, 6, "repetitions", r->repetitions);
	if (!r->aggregate)
		member_number(to, 6, "repetition_index", r->repetition);
	member_number(to, 6, "threads", r->workers);
	if (r->aggregate) {
		member_string(to, 6, "aggregate_name", r->aggregate);
		member_string(to, 6, "aggregate_unit", r->share ? "percentage" : "time");
	}
	if (r->error[0]) {
		member(to, 6, false, "error_occurred");
		fputs("true", to);
		member_string(to, 6, "error_message", r->error);
	}
	member_number(to, 6, "iterations", (double)r->iterations);
	member_number(to, 6, "real_time", time);
	member_number(to, 6, "cpu_time", time);
	member_string(to, 6, "time_unit", gbench_units[r->unit].name);
	for (i = 0; i < r->nr_values; i++)
		member_number(to, 6, r->values[i].key, r->values[i].value);
	fputs("\n    }", to);
}

/* ------------------------------------------------------------------ document */

static void write_tail(FILE *to, struct gbench_json *j)
{
	fflush(j->errors.f);
	fflush(j->notes.f);
	fprintf(to, "\n  ],\n  \"errors\": [%s%s],\n  \"notes\": [%s]\n}\n", j->errors.s,
		j->any_error ? "\n  " : "", j->notes.s);
}

static int write_at(int fd, const char *s, size_t len, off_t off)
{
	ssize_t n;

	while (len) {
		n = pwrite(fd, s, len, off);
		if (n < 0 && errno != EINTR)
			return -errno;
		n = n < 0 ? 0 : n;
		s += n;
		len -= n;
		off += n;
	}
	return 0;
}

/* one write, so that a kill leaves the old end or the new one; no room: the old one is put back */
static int append_over_tail(struct gbench_json *j, const struct text *what)
{
	int fd = fileno(j->to), rc;
	struct text next = {0};

	next.f = open_memstream(&next.s, &next.len);
	if (!next.f)
		return -ENOMEM;
	if (what)
		fwrite(what->s, 1, what->len, next.f);
	write_tail(next.f, j);
	if (fclose(next.f)) {
		free(next.s);
		return -ENOMEM;
	}
	rc = write_at(fd, next.s, next.len, j->off);
	if (rc) {
		free(next.s);
		if (j->last && !write_at(fd, j->last + j->tail, j->tail_len, j->off) &&
		    ftruncate(fd, j->off + (off_t)j->tail_len))
			rc = -errno;
		return rc;
	}
	free(j->last);
	j->last = next.s;
	j->tail = what ? what->len : 0;
	j->tail_len = next.len - j->tail;
	j->off += (off_t)j->tail;
	return 0;
}

static int append(struct gbench_json *j, const struct text *what)
{
	if (j->rewrite)
		return append_over_tail(j, what);
	errno = 0;
	if (what)
		fwrite(what->s, 1, what->len, j->to);
	if (fflush(j->to) || ferror(j->to))
		return errno ? -errno : -EIO;
	return 0;
}

static int text_open(struct text *t)
{
	t->f = open_memstream(&t->s, &t->len);
	return t->f ? 0 : -ENOMEM;
}

static int text_close(struct text *t)
{
	bool bad = t->f && ferror(t->f);

	if (t->f && fclose(t->f))
		bad = true;
	free(t->s);
	return bad ? -ENOMEM : 0;
}

static int discard(struct gbench_json *j)
{
	int rc = text_close(&j->errors);
	int rc2 = text_close(&j->notes);

	free(j->last);
	free(j);
	return rc ? rc : rc2;
}

int gbench_json_open(struct gbench_json **out, FILE *to, bool rewrite,
		     const struct gbench_context *c)
{
	struct gbench_json *j = calloc(1, sizeof(*j));
	struct text begin = {0};
	int rc = -ENOMEM;

	if (!j)
		return rc;
	j->to = to;
	j->rewrite = rewrite;
	if (!text_open(&j->errors) && !text_open(&j->notes) && !text_open(&begin)) {
		write_context(begin.f, c);
		rc = fflush(begin.f) ? -ENOMEM : append(j, &begin);
	}
	text_close(&begin);
	if (rc)
		discard(j);
	else
		*out = j;
	return rc;
}

int gbench_json_run(struct gbench_json *j, const struct gbench_run *r)
{
	struct text entry = {0};
	int rc = -ENOMEM;

	if (r->error[0]) {
		fputs(j->any_error ? "," : "", j->errors.f);
		write_run(j->errors.f, r);
		j->any_error = true;
		return append(j, NULL);
	}
	if (text_open(&entry))
		return rc;
	fputs(j->any_run ? "," : "", entry.f);
	write_run(entry.f, r);
	if (!fflush(entry.f))
		rc = append(j, &entry);
	j->any_run |= !rc;
	text_close(&entry);
	return rc;
}

void gbench_json_note(struct gbench_json *j, const char *note)
{
	if (!*note)
		return;
	fputs(j->any_note ? ", " : "", j->notes.f);
	gbench_json_string(j->notes.f, note);
	j->any_note = true;
}

int gbench_json_close(struct gbench_json *j)
{
	int rc, rc2;

	if (!j)
		return 0;
	if (!j->rewrite)
		write_tail(j->to, j);
	rc = append(j, NULL);
	rc2 = discard(j);
	return rc ? rc : rc2;
}

/* ---------------------------------------------------------------------- file */

int gbench_file_open(struct gbench_file *f, const char *path, struct err *err)
{
	struct stat st;
	int rc;

	f->path = path;
	f->direct = !stat(path, &st) && !S_ISREG(st.st_mode);
	if (asprintf(&f->now, "%s%s", path, f->direct ? "" : ".part") < 0) {
		f->now = NULL;
		return err_set(err, -ENOMEM, "no memory for the name of '%.200s'", path);
	}
	f->stream = fopen(f->now, "we");
	if (f->stream)
		return 0;
	rc = err_set(err, -errno, "cannot write '%.200s': %s", f->now, strerror(errno));
	free(f->now);
	f->now = NULL;
	return rc;
}

int gbench_file_close(struct gbench_file *f, struct err *err)
{
	bool bad = ferror(f->stream);
	int rc = 0;

	errno = 0;
	if (fclose(f->stream) || bad)
		rc = err_set(err, errno ? -errno : -EIO, "cannot write '%.200s': %s", f->now,
			     errno ? strerror(errno) : "the disk may be full");
	else if (!f->direct && rename(f->now, f->path))
		rc = err_set(err, -errno, "cannot rename '%.200s' to '%.200s': %s", f->now, f->path,
			     strerror(errno));
	f->stream = NULL;
	free(f->now);
	f->now = NULL;
	return rc;
}

void gbench_file_leave(struct gbench_file *f, bool keep, struct err *err)
{
	if (!f->stream)
		return;
	fclose(f->stream);
	f->stream = NULL;
	if (!f->direct && keep)
		err_prefix(err, "'%.120s' holds what was measured before this: ", f->now);
	else if (!f->direct)
		unlink(f->now);
	free(f->now);
	f->now = NULL;
}
