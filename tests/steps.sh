# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# steps.sh - the points of a TAP script, sourced by it: ok, skip, and how many there were in nr.
# Where a point fails, what told() prints becomes its comment.
nr=0

told() {
	sed 's/^/out: /' out 2>/dev/null | head -n 5
	sed 's/^/err: /' err 2>/dev/null | head -n 5
}

ok() { # ok STATUS NAME: STATUS is the exit status of what was tested
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		told | sed 's/^/# /'
	fi
}

skip() {
	nr=$((nr + 1))
	echo "ok $nr - $1 # SKIP $2"
}
