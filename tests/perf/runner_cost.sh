#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the runner adds to an operation, against the same loop written by hand, in one interleaved
# run. The last line holds the two ratios: one thread (at most 1.02), two threads (within 3% of 1).
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build}
[ -d "$build" ] || meson setup "$build" >/dev/null
ninja -C "$build" tests/perf/runner_cost >/dev/null
exec "$build/tests/perf/runner_cost"
