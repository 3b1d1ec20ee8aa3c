/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

const struct command commands[] = {
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
	{"help", "[COMMAND]", "this text, the options of a command, or the manual page", cmd_help},
	{NULL}};
#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]) - 1)

const struct command *command_find(const char *name)
{
	const struct command *c;

	for (c = commands; c->name && strcmp(c->name, name); c++)
		;
	return c->name ? c : NULL;
}

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

int command_unknown(const char *name)
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
	const struct command *cmd;

	/* a closed pipe is then an error of the write, which nobody needs to hear of */
	signal(SIGPIPE, SIG_IGN);
	/* a file over the size limit (ulimit -f) too: it is to be said, not to kill */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		cli_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		cli_usage(stdout);
		return cli_close_stdout(EXIT_DONE);
	}
	if (!strcmp(argv[1], "--version")) {
		printf("chargeline %s\n", CHARGELINE_VERSION);
		return cli_close_stdout(EXIT_DONE);
	}
	cmd = command_find(argv[1]);
	if (!cmd)
		return command_unknown(argv[1]);
	return cli_close_stdout(cmd->run(cmd, argc - 1, argv + 1));
}
