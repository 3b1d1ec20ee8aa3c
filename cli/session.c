/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define SAVE_EVERY_S 2
#define SAVE_SHARE   20 /* saving may take 1/20 of the time */
#define LINE_EVERY_S 10
#define LINE_WIDTH   100
#define TERM_EVERY_S 0.2

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

bool session_interrupted(void)
{
	return interrupted;
}

/* the first signal asks for an orderly end, a second one is the system's default */
void session_catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

struct state {
	struct results *results;
	const char *path;
	struct counters *counters; /* of the plan */
	double begin, saved_at, save_took, told_at;
	int64_t elapsed_before_ns;
	bool terminal, told;
};

/* ---------------------------------------------------------------------- hooks */

static int save(struct state *st, struct err *err)
{
	double begin = now_s();
	int rc;

	st->results->elapsed_ns = st->elapsed_before_ns + (int64_t)((begin - st->begin) * 1e9);
	rc = results_set_counters(st->results, st->counters);
	if (rc)
		return err_set(err, rc, "out of memory");
	if (!st->path)
		return 0;
	rc = results_save(st->results, st->path, err);
	st->saved_at = now_s();
	st->save_took = st->saved_at - begin;
	return rc;
}

static bool save_is_due(const struct state *st)
{
	double since = now_s() - st->saved_at;

	return since > SAVE_EVERY_S && since > SAVE_SHARE * st->save_took;
}

static int on_sample(void *ctx, int case_idx, const struct sample *s, struct err *err)
{
	struct state *st = ctx;
	int rc = results_add_sample(st->results, case_idx, s, err);

	return rc || !save_is_due(st) ? rc : save(st, err);
}

static int on_block_end(void *ctx, const struct bench_progress *p, struct err *err)
{
	struct state *st = ctx;

	return save_is_due(st) ? save(st, err) : 0;
}

static bool on_stop(void *ctx)
{
	return interrupted;
}

static void on_context(void *ctx, const struct bench_context *c)
{
	struct state *st = ctx;

	st->results->context = *c;
	st->results->context_known = true;
}

static void on_progress(void *ctx, const struct bench_progress *p)
{
	struct state *st = ctx;
	double since = now_s() - st->told_at;
	char left[32];

	if (since < (st->terminal ? TERM_EVERY_S : LINE_EVERY_S))
		return;
	st->told_at = now_s();
	st->told = true;
	text_duration(left, sizeof(left), p->left_ns);
	fprintf(stderr, "%sblock %d, %d of %d cases open, at most %s left%s",
		st->terminal ? "\r" : "chargeline: ", p->block + 1, p->nr_open, p->nr_cases, left,
		st->terminal ? "\033[K" : "\n");
	fflush(stderr);
}

/* -------------------------------------------------------------------- session */

void session_default_path(const struct topo *topo, char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32];

	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	snprintf(buf, size, "chargeline-%s-%s.json", topo_info(topo)->class_name, stamp);
}

/* "key      words", broken before @LINE_WIDTH and continued under the words */
static void print_entry(const char *key, const char *text)
{
	int room = LINE_WIDTH - 9, len;
	bool first = true;

	for (; *text; text += len + strspn(text + len, " "), first = false) {
		len = strlen(text);
		if (len > room)
			for (len = room; len > 1 && text[len] != ' '; len--)
				;
		printf("%-9s%.*s\n", first ? key : "", len, text);
	}
}

int session_counters(struct plan *plan, const struct topo *topo, const char *choice, bool multiplex,
		     struct err *err)
{
	int rc = counters_open(&plan->counters, topo, choice, multiplex, err);

	return rc == -EINVAL ? err_prefix(err, "option --counters: ") : rc;
}

static void announce_counters(struct counters *c)
{
	int i, nr[COUNTER_NR_STATES] = {0};
	char text[200];

	if (!c)
		return;
	for (i = 0; i < counters_nr(c); i++)
		nr[counters_info(c, i)->state]++;
	snprintf(text, sizeof(text), "%d of %d counted, with %s%s", nr[COUNTER_COUNTED],
		 counters_nr(c), counters_backend(c),
		 nr[COUNTER_COUNTED] < counters_nr(c) ? "; why not all: chargeline list counters"
						      : "");
	print_entry("counters", text);
}

void session_announce(const struct topo *topo, const struct plan *plan, const char *path)
{
	const struct topo_info *info = topo_info(topo);
	char block[32], total[32], window[32];
	int i, most = 0;

	for (i = 0; i < plan->nr_cases; i++)
		if (plan->cases[i].cpus.nr > most)
			most = plan->cases[i].cpus.nr;
	text_duration(block, sizeof(block), plan_block_ns(plan));
	text_duration(total, sizeof(total), plan_estimate_ns(plan));
	text_duration(window, sizeof(window), plan->window_ns);
	printf("machine  %s: %d CPUs, %d cores, %d package%s, %d memory node%s\n", info->class_name,
	       info->pus, info->cores, info->packages, info->packages == 1 ? "" : "s",
	       info->numa_nodes, info->numa_nodes == 1 ? "" : "s");
	printf("plan     %d cases on up to %d worker%s, windows of %s, %s a block, at least %d\n",
	       plan->nr_cases, most, most == 1 ? "" : "s", window, block, plan->min_blocks);
	print_entry("thinned", plan->thinned);
	print_entry("note", plan->note);
	announce_counters(plan->counters);
	printf("time     at most %s\nrecord   %s\n", total, path);
	fflush(stdout);
}

static bool needs_quotes(const char *s)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("-_=,./:+%", *s))
			return true;
	return false;
}

/* the user's command once more, with the record's name and --resume */
static void tell_resume(const struct session *s, const char *path)
{
	bool skip = false;
	int i;

	fprintf(stderr,
		"chargeline: stopped; what was measured is in %s\n"
		"chargeline: go on with: chargeline %s",
		path, s->command);
	for (i = 1; i < s->argc; i++) {
		if (skip || !strcmp(s->argv[i], "--resume") ||
		    !strncmp(s->argv[i], "--output=", 9)) {
			skip = false;
			continue;
		}
		skip = !strcmp(s->argv[i], "-o") || !strcmp(s->argv[i], "--output");
		if (!skip)
			fprintf(stderr, needs_quotes(s->argv[i]) ? " '%s'" : " %s", s->argv[i]);
	}
	fprintf(stderr, needs_quotes(path) ? " -o '%s' --resume\n" : " -o %s --resume\n", path);
}

/* the record to go on with; *before stays NULL when a new one is to be made */
static int open_record(const struct session *s, const struct topo *topo, struct plan *plan,
		       const char *path, struct results **before, struct err *err)
{
	int rc;

	if (!s->resume) {
		if (path && !access(path, F_OK))
			return err_set(err, -EEXIST,
				       "'%s' exists: go on with it by --resume, or choose another "
				       "name",
				       path);
		return 0;
	}
	rc = results_load(before, path, err);
	if (!rc)
		rc = results_resume(*before, topo, plan, err);
	if (!rc && plan->budget_ns) {
		plan->budget_ns -= (*before)->elapsed_ns;
		if (plan->budget_ns < 1)
			plan->budget_ns = 1;
	}
	return rc;
}

char *session_command(const struct session *s)
{
	size_t size = 64, len;
	char *text;
	int i;

	for (i = 1; i < s->argc; i++)
		size += strlen(s->argv[i]) + 3;
	text = malloc(size);
	if (!text)
		return NULL;
	len = snprintf(text, size, "chargeline %s", s->command);
	for (i = 1; i < s->argc; i++)
		len += snprintf(text + len, size - len, needs_quotes(s->argv[i]) ? " '%s'" : " %s",
				s->argv[i]);
	return text;
}

static int nr_windows(const struct results *r)
{
	int i, nr = 0;

	for (i = 0; i < r->nr_cases; i++)
		nr += r->cases[i].nr_samples;
	return nr;
}

/* a case without one undisturbed window has no number: said, and in the status */
static int judge(struct results *r)
{
	char sentence[160];
	int i, k, valid, empty = 0;

	for (i = 0; i < r->nr_cases; i++) {
		for (k = 0, valid = 0; k < r->cases[i].nr_samples; k++)
			valid += !r->cases[i].samples[k].marks;
		empty += !valid;
	}
	if (!empty)
		return EXIT_DONE;
	snprintf(sentence, sizeof(sentence),
		 "%d of %d cases have no undisturbed window, and so no number", empty, r->nr_cases);
	results_add_warning(r, sentence);
	return EXIT_DISTRUST;
}

/*
 * One chargeline measures on a machine at a time: two would measure each other. The lock is a name
 * in the kernel's socket table: no file to leave behind, released with the process however it ends.
 * Returns a descriptor to close, or -1 when there is no such table here.
 */
static int take_turn(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0chargeline is measuring"};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool told = false;

	while (fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof(name)) && !interrupted) {
		if (errno != EADDRINUSE) {
			close(fd);
			return -1;
		}
		if (!told)
			fprintf(stderr,
				"chargeline: another chargeline is measuring here: waiting\n");
		told = true;
		usleep(200000);
	}
	return fd;
}

static int measure(const struct session *s, const struct topo *topo, const struct plan *plan,
		   struct state *st, struct err *err)
{
	struct bench_hooks hooks = {.sample = on_sample,
				    .block_end = on_block_end,
				    .stop = on_stop,
				    .progress = on_progress,
				    .context = on_context,
				    .ctx = st};
	struct err save_err = ERR_INIT;
	int rc, status = EXIT_DONE;

	st->begin = now_s();
	st->terminal = isatty(STDERR_FILENO);
	st->told_at = st->begin;
	rc = save(st, err);
	if (!rc)
		rc = bench_run(topo, plan, &hooks, err);
	if (st->told && st->terminal)
		fprintf(stderr, "\r\033[K");
	if (rc < 0) {
		status = cli_fail(err);
		if (!nr_windows(st->results)) {
			if (st->path)
				unlink(st->path);
			return status;
		}
		results_add_warning(st->results, err->msg);
	} else if (!rc) {
		st->results->complete = true;
		status = judge(st->results);
	}
	if (save(st, &save_err)) {
		/* the same fault that ended the run is not told twice */
		return rc < 0 ? status : cli_fail_input(&save_err);
	}
	if (rc == 1) {
		if (st->path)
			tell_resume(s, st->path);
		return EXIT_INTERRUPTED;
	}
	return status;
}

/* what would spoil the numbers is said before they are made, not only beside them */
static void tell_faults(const struct results *r)
{
	int i;

	for (i = 0; i < r->nr_findings; i++)
		if (!strcmp(r->findings[i].state, "fault"))
			fprintf(stderr, "chargeline: fault: %s %s: %s\n", r->findings[i].name,
				r->findings[i].value ? r->findings[i].value : "",
				r->findings[i].remedy ? r->findings[i].remedy : "");
}

/* a new record, which goes on from @before when there is one */
static int begin_record(const struct session *s, const struct topo *topo, const struct plan *plan,
			const struct results *before, struct state *st, struct err *err)
{
	char *command = session_command(s);
	int rc = results_new(&st->results, topo, plan, command ? command : "", err);

	free(command);
	if (rc || !before)
		return rc;
	st->elapsed_before_ns = before->elapsed_ns;
	free(st->results->started);
	st->results->started = strdup(before->started);
	return st->results->started ? 0 : err_set(err, -ENOMEM, "out of memory");
}

int session_measure(const struct session *s, const struct topo *topo, struct plan *plan,
		    const char *path, struct results **out)
{
	struct results *before = NULL;
	struct state st = {.path = path, .counters = plan->counters};
	struct err err = ERR_INIT;
	int status, turn;

	*out = NULL;
	if (open_record(s, topo, plan, path, &before, &err)) {
		status = cli_fail_input(&err);
		results_free(before);
		return status;
	}
	if (before && before->complete) {
		fprintf(stderr, "chargeline: '%s' is complete: nothing to go on with\n", path);
		*out = before;
		return EXIT_DONE;
	}
	/* the turn comes first: the record says how busy this machine is without another chargeline */
	session_catch_signals();
	turn = take_turn();
	if (begin_record(s, topo, plan, before, &st, &err)) {
		status = cli_fail_input(&err);
	} else {
		tell_faults(st.results);
		status = measure(s, topo, plan, &st, &err);
	}
	if (turn >= 0)
		close(turn);
	*out = st.results;
	results_free(before);
	return status;
}
