/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static const struct command commands[] = {
	{"report", "[FILE...]",
	 "measure this machine and say which batch to use, or report on files", cmd_report},
	{"run", "[EXPERIMENT...]", "measure chosen experiments, parameters, workers and placements",
	 cmd_run},
	{"pick", "[FILE...]", "the batch to use, from result files", cmd_pick},
	{"store", "add FILE...|list|export DIR", "many result files in one place", cmd_store},
	{"compare", "[A B]",
	 "is B slower than A: result files, folders of them, or runs of the store", cmd_compare},
	{"predict", "[EXPERIMENT...]", "what a machine that is not here would show, by the model",
	 cmd_predict},
	{"reproduce", "[CASE...]", "published cases: published, predicted, measured here",
	 cmd_reproduce},
	{"topo", "", "the machine as chargeline sees it", cmd_topo},
	{"doctor", "", "what would spoil a measurement here, and the remedy", cmd_doctor},
	{"list", "[experiments|params|cases|placements|counters]",
	 "what can be measured, and how it is called", cmd_list},
	{"bench", "[EXPERIMENT...] [--benchmark_...]", "the cases as benchmarks of libbenchmark",
	 cmd_bench},
};
#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

int cli_fail_input(const struct err *err)
{
	fflush(stdout);
	fprintf(stderr, "chargeline: %s\n", err->msg);
	return EXIT_FAILED;
}

int cli_fail(const struct err *err)
{
	cli_fail_input(err);
	if (err->code == -EINVAL)
		return EXIT_USAGE;
	return err->code == -EUCLEAN ? EXIT_DISTRUST : EXIT_FAILED;
}

/* the reader of stdout went away */
static bool stdout_reader_gone(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

int cli_close_stdout(int status)
{
	bool failed = ferror(stdout);
	int error;

	errno = 0;
	failed |= fflush(stdout) != 0;
	error = errno;
	if (!failed || error == EPIPE || stdout_reader_gone())
		return status;
	fprintf(stderr, "chargeline: cannot write the output%s%s\n", error ? ": " : "",
		error ? strerror(error) : "");
	return status ? status : EXIT_FAILED;
}

static void print_commands(FILE *to)
{
	size_t i;

	fprintf(to, "usage: chargeline COMMAND [OPTION...]\n\n"
		    "What charging memory to a cgroup costs on this machine, and which\n"
		    "MEMCG_CHARGE_BATCH it should use.\n\ncommands:\n");
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fprintf(to,
		"\n'chargeline COMMAND --help' shows the options of one.\n"
		"Exit status: 0 done, 1 failed, 2 wrong usage, 3 ran but a number is not to be "
		"trusted\n(compare: a regression), 130 interrupted (what was measured is saved).\n");
}

static int unknown_command(const char *name)
{
	const char *names[NR_COMMANDS];
	struct err err = ERR_INIT;
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		names[i] = commands[i].name;
	text_unknown(&err, "command", name, names, NR_COMMANDS);
	return cli_fail(&err);
}

int main(int argc, char **argv)
{
	size_t i;

	/* a closed pipe is then an error of the write, which nobody needs to hear of */
	signal(SIGPIPE, SIG_IGN);
	/* a file over the size limit (ulimit -f) too: it is to be said, not to kill */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		print_commands(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_commands(stdout);
		return cli_close_stdout(EXIT_DONE);
	}
	if (!strcmp(argv[1], "--version")) {
		printf("chargeline %s\n", CHARGELINE_VERSION);
		return cli_close_stdout(EXIT_DONE);
	}
	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return cli_close_stdout(commands[i].run(&commands[i], argc - 1, argv + 1));
	return unknown_command(argv[1]);
}
