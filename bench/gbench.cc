/* SPDX-License-Identifier: MIT */
#include "gbench.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

#include <benchmark/benchmark.h>

extern "C" {
#include "bench.h"
}

#define CPU_DIR "/sys/devices/system/cpu"

namespace
{

using Run = benchmark::BenchmarkReporter::Run;
using Context = benchmark::BenchmarkReporter::Context;
using Style = benchmark::ConsoleReporter::OutputOptions;

/* ---------------------------------------------------- what differs between versions */

/* 1.8 renamed error_message to skip_message and gave --benchmark_min_time its suffix */
template <class R, class = void> struct before_1_8 : std::false_type {
};
template <class R>
struct before_1_8<R, std::void_t<decltype(std::declval<R>().error_message)>> : std::true_type {
};

template <class R> void set_error(R &run, const char *why)
{
	if constexpr (before_1_8<R>::value) {
		run.error_occurred = true;
		run.error_message = why;
	} else {
		run.skipped = static_cast<decltype(run.skipped)>(2); /* SkippedWithError */
		run.skip_message = why;
	}
}

/* ------------------------------------------------------------------ measuring */

struct shim {
	struct plan plan = {};
	struct gbench_options options = {};
	char **names = nullptr;
	std::vector<int> cases;			   /* by the library's family_index */
	std::vector<std::vector<gbench_run>> runs; /* by family_index, repetition_index */
	struct bench_session *session = nullptr;
	int rc = 0; /* the first failure and its sentence */
	struct err first = ERR_INIT;
	bool stopped = false;
	struct gbench_file file = {};

	shim() = default;
	shim(const shim &) = delete;
	shim &operator=(const shim &) = delete;
	~shim()
	{
		gbench_file_leave(&file, false, nullptr);
		bench_close(session);
		gbench_names_free(names, plan.nr_cases);
		gbench_options_free(&options);
	}

	/* a broken invariant concerns one case, everything else ends the run */
	void fail(int code, const char *sentence)
	{
		if (!rc)
			rc = err_set(&first, code, "%s", sentence);
		if (code != -EUCLEAN)
			stopped = true;
	}
};

/* The library is told nothing about failures: see gbench.h. It needs some time above 0. */
void measure(shim *sh, size_t family, benchmark::State &state)
{
	struct gbench_run r = {};
	struct err err = ERR_INIT;
	int idx = sh->cases[family], rc;

	r.name = sh->names[idx];
	r.family = (int)family;
	r.repetition = (int)sh->runs[family].size();
	r.repetitions = (int)sh->options.repetitions;
	r.workers = sh->plan.cases[idx].cpus.nr;
	r.unit = (int)sh->options.unit;
	for (auto _ : state) {
		rc = sh->stopped ? 0 : gbench_measure(sh->session, &sh->plan, idx, &r, &err);
		if (rc)
			sh->fail(rc, err.msg);
		state.SetIterationTime(r.seconds > 0 ? r.seconds : 1e-9);
	}
	if (r.seconds > 0 || r.error[0]) /* neither: an earlier failure ended everything */
		sh->runs[family].push_back(r);
}

/* ------------------------------------------------------------------ the writers */

/* each returns 0 or -errno of writing */
struct sink {
	virtual ~sink() = default;
	virtual int begin(const shim &sh, const struct gbench_context &c, size_t width) = 0;
	virtual int add(const struct gbench_run &r) = 0;
	virtual int end(const char *note) = 0;
};

class json_sink : public sink
{
      public:
	json_sink(FILE *stream, bool can_rewrite) : to(stream), rewrite(can_rewrite)
	{
	}
	~json_sink() override
	{
		gbench_json_close(json);
	}
	int begin(const shim &sh, const struct gbench_context &c, size_t) override
	{
		int rc = gbench_json_open(&json, to, rewrite, &c);

		if (!rc)
			gbench_json_note(json, sh.plan.note);
		return rc;
	}
	int add(const struct gbench_run &r) override
	{
		return json ? gbench_json_run(json, &r) : 0;
	}
	int end(const char *note) override
	{
		if (json)
			gbench_json_note(json, note);
		return gbench_json_close(std::exchange(json, nullptr));
	}

      private:
	FILE *to;
	bool rewrite;
	struct gbench_json *json = nullptr;
};

/* the library's table without its header, which calls Debian's build a DEBUG library */
class table : public benchmark::ConsoleReporter
{
      public:
	explicit table(Style style) : benchmark::ConsoleReporter(style)
	{
		SetOutputStream(&text);
	}
	void start(size_t width)
	{
		name_field_width_ = width;
		printed_header_ = false;
	}
	std::string draw(const Run &run)
	{
		text.str("");
		ReportRuns({run});
		return text.str();
	}

      private:
	std::ostringstream text;
};

class console_sink : public sink
{
      public:
	/* @aside: what explains the table; NULL: nowhere */
	console_sink(Style style, FILE *stream, FILE *aside) : lines(style), to(stream), head(aside)
	{
	}
	int begin(const shim &sh, const struct gbench_context &c, size_t width) override
	{
		char window[32], warmup[32];

		lines.start(width);
		if (!head)
			return 0;
		fprintf(head,
			"libbenchmark %s, for names and schedule only\n"
			"Time: wall time of one operation of one worker; CPU repeats it.\n"
			"Iterations: operations of all workers in one window of %s after %s of "
			"warm-up.\n",
			c.library_version,
			text_duration(window, sizeof(window), (double)c.window_ns),
			text_duration(warmup, sizeof(warmup), (double)c.warmup_ns));
		if (c.scaling == 1)
			fprintf(head, "Warning: frequency scaling is on.\n");
		if (*sh.plan.note)
			fprintf(head, "Note: %s\n", sh.plan.note);
		return 0;
	}
	int add(const struct gbench_run &r) override;
	int end(const char *note) override
	{
		if (head && *note)
			fprintf(head, "Note: %s\n", note);
		return 0;
	}

      private:
	table lines;
	FILE *to, *head;
	benchmark::UserCounters columns = {{"workers", 0}};
};

int console_sink::add(const struct gbench_run &r)
{
	static const benchmark::TimeUnit units[] = {benchmark::kNanosecond, benchmark::kMicrosecond,
						    benchmark::kMillisecond, benchmark::kSecond};
	Run run;

	run.run_name.function_name = r.name;
	run.run_type = r.aggregate ? Run::RT_Aggregate : Run::RT_Iteration;
	run.aggregate_name = r.aggregate ? r.aggregate : "";
	run.aggregate_unit = r.share ? benchmark::kPercentage : benchmark::kTime;
	run.iterations = (benchmark::IterationCount)r.iterations;
	run.time_unit = units[r.unit];
	run.real_accumulated_time = r.seconds * (r.share ? 1 : (double)r.iterations);
	run.cpu_accumulated_time = run.real_accumulated_time;
	run.statistics = nullptr;
	for (int i = 0; i < r.nr_values; i++)
		if (std::isfinite(r.values[i].value))
			run.counters[r.values[i].key] = r.values[i].value;
	if (r.error[0]) {
		set_error(run, r.error);
		run.counters = columns; /* not shown, but the header goes by them */
	}
	columns = run.counters;
	errno = 0;
	fputs(lines.draw(run).c_str(), to);
	if (fflush(to) || ferror(to))
		return errno ? -errno : -EIO;
	return 0;
}

/* --------------------------------------------------------------- the reporter */

/* the only reporter that the library sees; it writes to the display and to the file */
class reporter : public benchmark::BenchmarkReporter
{
      public:
	reporter(shim *s, const char *machine) : sh(s), class_name(machine)
	{
	}
	void add_sink(std::unique_ptr<sink> to, const char *name, bool only_aggregates)
	{
		targets.push_back({std::move(to), name, only_aggregates, false});
	}
	bool ReportContext(const Context &lib) override;
	void ReportRuns(const std::vector<Run> &runs) override;
	void Finalize() override
	{
		struct bench_context bc = {};

		bench_session_context(sh->session, &bc);
		for (auto &t : targets)
			check(&t, t.to->end(bc.memory_note));
	}
	bool any = false; /* something was reported */

      private:
	struct target {
		std::unique_ptr<sink> to;
		const char *name;
		bool only_aggregates;
		bool gone;
	};

	/* a reader of the display who left is no failure; without another one there is no point */
	void check(target *t, int rc)
	{
		struct err err = ERR_INIT;

		if (!rc || t->gone)
			return;
		t->gone = rc == -EPIPE && t == &targets.front();
		if (t->gone) {
			sh->stopped |= targets.size() == 1;
			return;
		}
		err_set(&err, rc, "cannot write %.200s: %s", t->name, strerror(-rc));
		sh->fail(rc, err.msg);
	}

	shim *sh;
	const char *class_name;
	std::vector<target> targets;
};

bool reporter::ReportContext(const Context &lib)
{
	std::vector<struct gbench_cache> caches;
	struct bench_context bc = {};
	struct gbench_context c = {};
	size_t width = 10;

	bench_session_context(sh->session, &bc);
	for (const auto &cache : lib.cpu_info.caches)
		caches.push_back({cache.type.c_str(), cache.level, cache.size, cache.num_sharing});
	c.program = program_invocation_name;
	c.host = lib.sys_info.name.c_str();
	c.machine_class = class_name;
	c.library_version = GBENCH_VERSION;
#ifdef __OPTIMIZE__
	c.build_type = "release"; /* of the code that measures, which is ours */
#else
	c.build_type = "debug";
#endif
	c.nr_cpus = lib.cpu_info.num_cpus;
	c.mhz = lib.cpu_info.cycles_per_second / 1e6;
	c.scaling = gbench_scaling(CPU_DIR);
	c.caches = caches.data();
	c.nr_caches = (int)caches.size();
	c.load = lib.cpu_info.load_avg.data();
	c.nr_load = (int)lib.cpu_info.load_avg.size();
	c.window_ns = sh->plan.window_ns;
	c.warmup_ns = sh->plan.warmup_ns;
	c.clock_read_ns = bc.clock_read_ns;
	c.options = &sh->options;
	for (int idx : sh->cases)
		width = std::max(width, strlen(sh->names[idx]));
	if (sh->options.repetitions > 1)
		width += strlen("_median");
	for (auto &t : targets)
		check(&t, t.to->begin(*sh, c, width));
	return true;
}

/* the library's own aggregates come in a second call */
void reporter::ReportRuns(const std::vector<Run> &lib)
{
	struct gbench_run aggregates[GBENCH_NR_AGGREGATES];
	int nr;

	if (lib.empty() || lib.front().run_type == Run::RT_Aggregate)
		return;
	const auto &runs = sh->runs.at((size_t)lib.front().family_index);

	nr = gbench_aggregate(runs.data(), (int)runs.size(), aggregates);
	if (nr < 0)
		throw std::bad_alloc();
	for (auto &t : targets) {
		if (t.gone)
			continue;
		for (const struct gbench_run &r : runs)
			if (!nr || !t.only_aggregates || r.error[0])
				check(&t, t.to->add(r));
		for (int i = 0; i < nr; i++)
			check(&t, t.to->add(aggregates[i]));
	}
	any |= !runs.empty();
}

/* ------------------------------------------------------------------ the library */

/* every flag, so that no environment variable of the library's own decides anything */
void initialize_library(const struct gbench_options &o)
{
	std::vector<std::string> args = {
		"--benchmark_list_tests=false",
		"--benchmark_filter=",
		std::string("--benchmark_min_time=") + (before_1_8<Run>::value ? "0.5" : "0.5s"),
		"--benchmark_min_warmup_time=0",
		"--benchmark_repetitions=" + std::to_string(o.repetitions),
		std::string("--benchmark_enable_random_interleaving=") +
			(o.interleave ? "true" : "false"),
		"--benchmark_report_aggregates_only=false",
		"--benchmark_display_aggregates_only=false",
		"--benchmark_format=console",
		"--benchmark_out=",
		"--benchmark_out_format=json",
		"--benchmark_color=false",
		"--benchmark_counters_tabular=false",
		"--benchmark_perf_counters=",
		"--benchmark_time_unit=ns",
		"--benchmark_dry_run=false",
		"--v=0",
	};
	std::vector<char *> argv = {program_invocation_name}; /* the library keeps this pointer */
	int argc = (int)args.size() + 1;

	for (std::string &s : args)
		argv.push_back(&s[0]);
	argv.push_back(nullptr);
	benchmark::Initialize(&argc, argv.data());
}

void run_benchmarks(shim *sh, reporter *to)
{
	initialize_library(sh->options);
	for (size_t family = 0; family < sh->cases.size(); family++)
		benchmark::RegisterBenchmark(
			sh->names[sh->cases[family]],
			[sh, family](benchmark::State &state) { measure(sh, family, state); })
			->UseManualTime()
			->Iterations(1);
	if (!sh->cases.empty())
		benchmark::RunSpecifiedBenchmarks(to, ".");
	benchmark::ClearRegisteredBenchmarks();
}

Style console_style(const struct gbench_options &o, FILE *to)
{
	const char *term = getenv("TERM");
	bool color = o.color == GBENCH_COLOR_ON && to == stdout;
	int style = benchmark::ConsoleReporter::OO_None;

	if (o.color == GBENCH_COLOR_AUTO)
		color = isatty(fileno(to)) && term && strcmp(term, "dumb");
	if (color)
		style |= benchmark::ConsoleReporter::OO_Color;
	if (o.tabular)
		style |= benchmark::ConsoleReporter::OO_Tabular;
	return static_cast<Style>(style);
}

std::unique_ptr<sink> make_sink(const struct gbench_options &o, int64_t format, FILE *to,
				bool can_seek, FILE *aside)
{
	if (format == GBENCH_JSON)
		return std::make_unique<json_sink>(to, can_seek);
	return std::make_unique<console_sink>(console_style(o, to), to, aside);
}

int choose_cases(shim *sh, struct err *err)
{
	int nr = sh->plan.nr_cases, rc, i;
	std::unique_ptr<bool[]> chosen(new bool[(size_t)nr + 1]());

	sh->names = gbench_names(&sh->plan);
	if (!sh->names)
		return err_set(err, -ENOMEM, "no memory for the names of %d cases", nr);
	rc = gbench_select(sh->names, nr, sh->options.filter, chosen.get(), err);
	if (rc < 0)
		return rc;
	for (i = 0; i < nr; i++)
		if (chosen[i])
			sh->cases.push_back(i);
	sh->runs.resize(sh->cases.size());
	return 0;
}

int run_and_write(shim *sh, const struct topo *topo, struct err *err)
{
	const struct gbench_options &o = sh->options;
	reporter to(sh, topo ? topo_info(topo)->class_name : nullptr);
	int rc;

	to.add_sink(make_sink(o, o.format, stdout, false, stderr), "standard output",
		    o.report_aggregates || o.display_aggregates);
	if (*o.out) {
		rc = gbench_file_open(&sh->file, o.out, err);
		if (rc)
			return rc;
		to.add_sink(make_sink(o, o.out_format, sh->file.stream, !sh->file.direct, nullptr),
			    sh->file.now, o.report_aggregates);
	}
	rc = bench_open(&sh->session, topo, &sh->plan, err);
	if (rc)
		return rc;
	run_benchmarks(sh, &to);
	if (sh->rc)
		rc = err_set(err, sh->rc, "%s", sh->first.msg);
	if (sh->stopped)
		gbench_file_leave(&sh->file, to.any, err);
	return rc;
}

int list(const shim &sh, struct err *err)
{
	for (int idx : sh.cases)
		printf("%s\n", sh.names[idx]);
	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
		return 0;
	return err_set(err, errno ? -errno : -EIO, "cannot write standard output: %s",
		       strerror(errno ? errno : EIO));
}

int run_all(const struct topo *topo, const struct plan *plan, int argc, char **argv,
	    struct err *err)
{
	struct err late = ERR_INIT;
	shim sh;
	int rc, late_rc;

	rc = gbench_options_parse(argc, argv, &sh.options, err);
	if (rc)
		return rc;
	sh.plan = *plan;
	if (sh.options.window_ns >= 0)
		sh.plan.window_ns = sh.options.window_ns;
	if (sh.options.warmup_ns >= 0)
		sh.plan.warmup_ns = sh.options.warmup_ns;
	rc = choose_cases(&sh, err);
	if (rc)
		return rc;
	if (sh.options.list)
		return list(sh, err);
	rc = run_and_write(&sh, topo, err);
	if (sh.file.stream && !sh.stopped && (!rc || rc == -EUCLEAN)) {
		late_rc = gbench_file_close(&sh.file, &late);
		if (late_rc)
			rc = err_set(err, late_rc, "%s", late.msg);
	}
	return rc;
}

} // namespace

extern "C" int gbench_main(const struct topo *topo, const struct plan *plan, int argc, char **argv,
			   struct err *err)
{
	try {
		return run_all(topo, plan, argc, argv, err);
	} catch (const std::bad_alloc &) {
		return err_set(err, -ENOMEM, "no memory for the benchmarks");
	} catch (const std::exception &e) {
		return err_set(err, -EIO, "libbenchmark: %s", e.what());
	} catch (...) {
		return err_set(err, -EIO, "libbenchmark failed");
	}
}

extern "C" const char *gbench_version(void)
{
	return GBENCH_VERSION;
}
