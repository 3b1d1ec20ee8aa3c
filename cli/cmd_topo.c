/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report.h"
#include "topo.h"
#include "topo_map.h"

#define NO_SUCH_PROGRAM 127

/* lstopo draws; which of its two programs is installed depends on the package */
static void exec_lstopo(const char *input, const char *file)
{
	static const char *const programs[] = {"lstopo", "lstopo-no-graphics"};
	const char *args[] = {NULL,  "--of", "svg", "--force", file, input ? "--input" : NULL,
			      input, NULL};
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		args[0] = programs[i];
		execvp(programs[i], (char *const *)args);
	}
	_exit(NO_SUCH_PROGRAM);
}

static int draw_svg(const char *input, const char *file, struct err *err)
{
	int status = 0;
	pid_t pid;

	if (file[0] == '-' || !file[0])
		return err_set(err, -EINVAL, "option --svg: '%.80s' is no file name", file);
	pid = fork();
	if (pid < 0)
		return err_set(err, -errno, "cannot start lstopo: %s", strerror(errno));
	if (!pid)
		exec_lstopo(input, file);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_set(err, -errno, "lost lstopo: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SUCH_PROGRAM)
		return err_set(
			err, -EOPNOTSUPP,
			"--svg needs lstopo, which is not installed (Debian: package hwloc)");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(err, -EIO, "lstopo could not write '%.200s'", file);
	return 0;
}

int cmd_topo(const struct command *self, int argc, char **argv)
{
	const char *input = NULL, *svg = NULL;
	bool json = false;
	const struct option_row rows[] = {
		{"input", 'i', OPT_TEXT, &input, "TOPOLOGY",
		 "an hwloc XML file or a synthetic topology instead of this system"},
		{"json", 0, OPT_SWITCH, &json, NULL, "for programs"},
		{"svg", 0, OPT_TEXT, &svg, "FILE", "let lstopo draw it into FILE"},
		{NULL}};
	struct err err = ERR_INIT;
	struct topo *topo = NULL;
	int first, rc;

	rc = options_parse(self, topo_class_help(), rows, argc, argv, &first, &err);
	if (rc)
		return rc > 0 ? EXIT_DONE : cli_fail(&err);
	if (first < argc)
		rc = err_set(&err, -EINVAL, "topo takes no argument '%.80s': use --input",
			     argv[first]);
	if (!rc)
		rc = topo_load(&topo, input, &err);
	if (!rc && svg)
		rc = draw_svg(*topo_info(topo)->input ? topo_info(topo)->input : NULL, svg, &err);
	else if (!rc && (json ? json_topo(topo, stdout) : topo_map(topo, stdout)))
		rc = err_set(&err, -EIO, "cannot write the topology");
	topo_free(topo);
	return rc ? cli_fail(&err) : EXIT_DONE;
}
