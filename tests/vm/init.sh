#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# init.sh - the first process of a guest: what the checks need, the checks, the end
/bin/busybox --install -s /bin
export PATH=/bin
mount -t devtmpfs none /dev
mount -t proc none /proc
mount -t sysfs none /sys
mount -t tmpfs none /tmp
mount -t cgroup2 none /sys/fs/cgroup
echo +cpuset +cpu >/sys/fs/cgroup/cgroup.subtree_control
echo 0 >/proc/sys/kernel/hung_task_timeout_secs 2>/dev/null
exec >/dev/ttyS1 2>&1 </dev/null
cd /tmp || poweroff -f

# shellcheck source=/dev/null
. /expect
# shellcheck source=tests/vm/checks.sh
. /checks.sh
# shellcheck source=tests/vm/changes.sh
. /changes.sh

# shellcheck disable=SC2154
for check in $checks; do
	echo "# $check at $(cut -d' ' -f1 /proc/uptime) s"
	"check_$check"
done
echo "@@ end: all of $nr"
sync
sleep 1
poweroff -f
