#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What counting costs inside a window: the same windows with counters and without, in turn, in one
# run. The last line is the ratio of the time per operation, to be at most 1.01. Counters: the
# default ones, or those named by the second argument, see chargeline list counters.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build}
[ -d "$build" ] || meson setup "$build" >/dev/null
ninja -C "$build" tests/perf/counters_cost >/dev/null
exec "$build/tests/perf/counters_cost" "${@:2}"
