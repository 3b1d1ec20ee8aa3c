/* SPDX-License-Identifier: MIT */
/*
 * fuzz_args - the whole command line, one argument a line, up to where measuring would begin
 *
 * The machine is one with 12 CPUs that is not here. Commands that measure run until their plan is
 * made and announced: the session is replaced (--wrap). All others are asked for --help at the end,
 * twice, since the first may be the value of an option: so every option is parsed, and nothing is
 * read or written. Each call ends with a status of the manual, and says why in one line.
 */
#include "fuzz.h"

#include <stdbool.h>

#include "bench.h"
#include "topo.h"

#define MAX_ARGS 24

int chargeline_main(int argc, char **argv);
int __real_topo_load(struct topo **out, const char *spec, struct err *err);
void __real_topo_free(struct topo *topo);
int __wrap_topo_load(struct topo **out, const char *spec, struct err *err);
void __wrap_topo_free(struct topo *topo);
int __wrap_session_measure(const void *s, const struct topo *topo, struct plan *plan,
			   const char *path, void **out);
int __wrap_gbench_main(const struct topo *topo, const struct plan *plan, int argc, char **argv,
		       struct err *err);

int __wrap_topo_load(struct topo **out, const char *spec, struct err *err)
{
	static struct topo *machine;

	if (!machine &&
	    __real_topo_load(&machine, "Package:2 [NUMANode(memory=1GiB)] L3:1 Core:3 PU:2", err))
		abort();
	*out = machine;
	return 0;
}

void __wrap_topo_free(struct topo *topo)
{
}

static void look_at(const struct plan *plan)
{
	int i;

	if (plan->nr_cases < 1 || plan->max_blocks < 1 || plan->window_ns < 1 ||
	    plan_estimate_ns(plan) < 0)
		abort();
	for (i = 0; i < plan->nr_cases; i++)
		if (plan->cases[i].cpus.nr < plan->cases[i].exp->min_workers)
			abort();
}

int __wrap_session_measure(const void *s, const struct topo *topo, struct plan *plan,
			   const char *path, void **out)
{
	look_at(plan);
	*out = NULL;
	return 0;
}

int __wrap_gbench_main(const struct topo *topo, const struct plan *plan, int argc, char **argv,
		       struct err *err)
{
	look_at(plan);
	return 0;
}

/* whether "--help" at the end is needed, so that nothing is done */
static bool only_help(const char *command)
{
	return strcmp(command, "run") && strcmp(command, "bench") && strcmp(command, "list");
}

static int split(char *text, char **argv)
{
	char *line, *rest = text;
	int argc = 1;

	while (argc < MAX_ARGS && (line = strsep(&rest, "\n")))
		argv[argc++] = line;
	argv[argc] = NULL;
	return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char program[] = "chargeline", help[] = "--help";
	char *argv[MAX_ARGS + 3], *text = strndup((const char *)data, size);
	char *said = NULL, *shown = NULL;
	size_t said_size = 0, shown_size = 0;
	FILE *out = stdout, *err = stderr;
	int argc = split(text, argv), i, status;

	argv[0] = program;
	if (argc > 1 && only_help(argv[1])) {
		for (i = 1; i < argc; i++)
			if (!strcmp(argv[i], "--"))
				argc = i;
		argv[argc++] = help;
		argv[argc++] = help;
		argv[argc] = NULL;
	}
	stdout = open_memstream(&shown, &shown_size);
	stderr = open_memstream(&said, &said_size);
	status = chargeline_main(argc, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = out;
	stderr = err;
	if (status < 0 || status > 2)
		abort();
	if (argc > 1 && status && (!said_size || strchr(said, '\n') != said + said_size - 1))
		abort();
	fuzz_no_control(said, said_size);
	free(said);
	free(shown);
	free(text);
	return 0;
}
