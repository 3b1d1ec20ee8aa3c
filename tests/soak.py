#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soak - does a run survive being stopped, over and over, and does a long one stay small?

usage: tests/soak.py CHARGELINE [SECONDS] [SEED]      (an hour; the moments are random, seed 1)

Two thirds of the time: runs are stopped at random moments by SIGTERM, SIGINT or SIGKILL and
resumed, until their record is complete; then the next. One third: one process is left alone.

Held is
- every record, read while it is written and after every stop, is strict JSON of the known schema;
- a window that was in a record once stays in it, unchanged; no block of a case goes on after its
  undisturbed window, none is begun again;
- a complete record has every block of every case;
- memory: of the process left alone, from a tenth of its time to its end, VmRSS grows by at most
  twice what its record on disk grows, and 1 MiB; of the stopped ones the highest peak in the last
  third of them is at most 1.2 times that in the first third, and 1 MiB (of 30 or more);
- descriptors: in the last third the median is the one of the first, and never more than 3 over it
  (a save opens two).

Prints a table; its last line is "soak: held" or "soak: FAILED, ...", and so is the exit status.
Another chargeline that measures on this machine makes it wait: "unshare -n" keeps them apart.
"""

import json
import operator
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

BLOCKS = 200  # a record of the stopped runs: 6 s of windows, on a loaded machine many more
STOP_AFTER = 12.0  # at most, seconds
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
END_WITHIN = 600  # seconds; on a loaded machine at low priority an orderly end takes its time
LOOK_EVERY, READ_EVERY = 0.25, 2.0
MIB = 1 << 20


class Soak:
    def __init__(self, tool, seconds, seed):
        self.tool, self.seconds = tool, seconds
        self.rng = random.Random(seed)
        self.faults = []
        self.stops = dict.fromkeys(SIGNALS, 0)
        self.completed = self.records = self.reads = self.windows = self.disturbed = 0
        self.busy_ns = self.slowest_end = 0.0
        self.peaks, self.descriptors = [], []
        self.lost = self.twice = 0

    def fault(self, sentence):
        self.faults.append(sentence)
        print('FAULT:', sentence, flush=True)

    # -------------------------------------------------------------- the record

    def read(self, path):
        """the record, proved; None where there is none"""
        def refuse(constant):
            raise ValueError(f'{constant} in it')
        try:
            with open(path, encoding='utf-8') as file:
                record = json.load(file, parse_constant=refuse)
        except FileNotFoundError:
            return None
        except ValueError as error:
            self.fault(f'{path} is not valid: {error}')
            return None
        self.reads += 1
        if record.get('schema') != 'chargeline-result':
            self.fault(f'{path} has the schema {record.get("schema")}')
        return record

    def compare(self, path, before, after):
        """what was in the record stays in it; @before: the windows, case by case"""
        if after is None:
            if before:
                self.fault(f'{path} is gone')
            return before
        now = [case['samples'] for case in after['cases']]
        for old, new in zip(before or [], now):
            gone = len(old) - sum(map(operator.eq, old, new))
            self.lost += gone
            if gone:
                self.fault(f'{path}: {gone} windows are gone or changed')
        twice = sum(map(self.nr_twice, now))
        if twice:
            self.twice += twice
            self.fault(f'{path}: {twice} windows were measured twice')
        return now

    @staticmethod
    def nr_twice(samples):
        """a block of a case is repeated while its window is disturbed; then comes a later one"""
        return sum(new['block'] < old['block'] or new == old or
                   (new['block'] == old['block'] and not old['marks'])
                   for old, new in zip(samples, samples[1:]))

    # -------------------------------------------------------------- the process

    @staticmethod
    def look(pid):
        """VmRSS and VmHWM in bytes, descriptors; None when it has ended"""
        try:
            with open(f'/proc/{pid}/status', encoding='ascii', errors='replace') as file:
                status = dict(line.split(':', 1) for line in file)
            return (int(status['VmRSS'].split()[0]) << 10, int(status['VmHWM'].split()[0]) << 10,
                    len(os.listdir(f'/proc/{pid}/fd')))
        except (OSError, KeyError):
            return None

    def run(self, path, plan, stop, after):
        """starts or resumes, stops by @stop after so many seconds; (status, samples)"""
        command = [self.tool, 'run', 'page_counter', *plan, '-o', path]
        command += ['--resume'] if os.path.exists(path) else []
        begin, seen, read_at, before = time.monotonic(), [], 0.0, None
        with open(path + '.log', 'w', encoding='utf-8') as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            while process.poll() is None and time.monotonic() - begin < after:
                now = time.monotonic() - begin
                found = self.look(process.pid)
                if found:
                    size = os.path.getsize(path) if os.path.exists(path) else 0
                    seen.append((now, *found, size))
                if now - read_at > READ_EVERY * self.rng.uniform(0.5, 1.5):
                    before, read_at = self.compare(path, before, self.read(path)), now
                time.sleep(min(LOOK_EVERY, max(0.0, after - now)))
            stopped = process.poll() is None
            if stopped:
                process.send_signal(stop)
                self.stops[stop] += 1
            status = self.wait(process, stop)
        self.judge_status(path, status, stop if stopped else None)
        self.compare(path, before, self.read(path))
        return status, seen

    def wait(self, process, stop):
        begin = time.monotonic()
        try:
            status = process.wait(timeout=END_WITHIN)
        except subprocess.TimeoutExpired:
            self.fault(f'{stop.name} did not end it within {END_WITHIN} s')
            process.kill()
            status = process.wait()
        self.slowest_end = max(self.slowest_end, time.monotonic() - begin)
        return status

    def judge_status(self, path, status, stop):
        # a signal before the handlers are there ends the program at once; one after the last
        # window is too late
        good = (0, 3) if stop is None else (0, 3, 130, -stop)
        if status not in good:
            with open(path + '.log', encoding='utf-8') as log:
                said = log.read().strip().splitlines()[-1:]
            self.fault(f'status {status} after {stop.name if stop else "no signal"}: {said}')

    # -------------------------------------------------------------- the phases

    def account(self, cases, record):
        self.records += 1
        for case, samples in zip(record['cases'], cases):
            self.windows += len(samples)
            self.disturbed += sum(bool(s['marks']) for s in samples)
            self.busy_ns += case['workers'] * sum(s['window_ns'] for s in samples)

    def stopped_runs(self, folder, until):
        number = 0
        while time.monotonic() < until:
            number += 1
            path = os.path.join(folder, f'{number}.json')
            plan = ['--set', 'layout=packed_5_19,v6_15', '--set', 'batch=32,64', '--workers', 'all',
                    '--window', '5ms', '--blocks', str(BLOCKS), '--target', '0',
                    '--budget', '120m', '--seed', str(number)]
            before = record = None
            while time.monotonic() < until:
                # some of them at the very start, where the record is made
                after = STOP_AFTER * self.rng.random() ** 2
                _, seen = self.run(path, plan, self.rng.choice(SIGNALS), after)
                if seen:
                    self.peaks.append(seen[-1][2])
                    self.descriptors += [s[3] for s in seen if s[0] > 1]
                record = self.read(path)
                before = self.compare(path, before, record)
                if record and record['complete']:
                    self.completed += 1
                    if any({s['block'] for s in case} != set(range(BLOCKS)) for case in before):
                        self.fault(f'{path} is complete and lacks blocks')
                    break
            if record:
                self.account(before, record)
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))

    def steady_run(self, folder, seconds):
        path = os.path.join(folder, 'steady.json')
        plan = ['--set', 'batch=32,64', '--workers', 'all', '--window', '20ms', '--blocks',
                '100000', '--target', '0', '--budget', '100h']
        _, seen = self.run(path, plan, signal.SIGTERM, seconds)
        record = self.read(path)
        cases = self.compare(path, None, record)
        # what it left can be gone on with
        self.run(path, plan, signal.SIGTERM, 5.0)
        record = self.read(path)
        cases = self.compare(path, cases, record)
        if record:
            self.account(cases, record)
        return [s for s in seen if s[0] > seconds / 10]

    # -------------------------------------------------------------- the verdict

    def judge_descriptors(self, what, values):
        third = len(values) // 3
        if not third:
            self.fault(f'{what}: nothing was seen')
            return '-'
        first, last = (statistics.median_high(v) for v in (values[:third], values[-third:]))
        if last != first or max(values[-third:]) > first + 3:
            self.fault(f'{what}: descriptors went from {first} to {last}, '
                       f'at most {max(values[-third:])}')
        return f'{first} in the first third, {last} in the last, never over {max(values)}'

    def judge_steady(self, seen):
        if len(seen) < 10:
            self.fault('the process left alone was hardly seen')
            return '-'
        (_, rss, _, _, size), (_, end, peak, _, end_size) = seen[0], seen[-1]
        grown, file_grown = end - rss, end_size - size
        if grown > 2 * file_grown + MIB:
            self.fault(f'memory grew by {grown} bytes, its record by {file_grown}')
        return (f'{rss / MIB:.1f} MiB, then {end / MIB:.1f} MiB (peak {peak / MIB:.1f}) '
                f'while its record grew by {file_grown / MIB:.1f} MiB')

    def judge_peaks(self):
        third = len(self.peaks) // 3
        if not third:
            self.fault('fewer than 3 stopped runs were seen')
            return '-'
        first, last = max(self.peaks[:third]), max(self.peaks[-third:])
        if len(self.peaks) >= 30 and last > 1.2 * first + MIB:
            self.fault(f'the peak went from {first} to {last} bytes')
        return f'peak {first / MIB:.1f} MiB in the first third, {last / MIB:.1f} MiB in the last'

    def carry_out(self):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix='chargeline-soak-') as folder:
            self.stopped_runs(folder, begin + self.seconds * 2 / 3)
            seen = self.steady_run(folder, self.seconds / 3)
        took = time.monotonic() - begin
        stops = ', '.join(f'{nr} {sig.name}' for sig, nr in self.stops.items())
        rows = [
            ('load held', f'{took / 60:.1f} min, {self.windows} windows ({self.disturbed} disturbed), '
                          f'{self.busy_ns / 6e10:.1f} CPU minutes inside them'),
            ('faults survived', f'{sum(self.stops.values())} stops at random moments ({stops}); '
                                f'the slowest end took {self.slowest_end:.1f} s; '
                                f'{self.records} records, {self.completed} resumed until complete'),
            ('record read', f'{self.reads} times, while written and after every stop'),
            ('nothing lost', f'{self.lost} windows lost, {self.twice} measured twice'),
            ('memory, stopped runs', self.judge_peaks()),
            (f'memory, {seen[-1][0] / 60 if seen else 0:.0f} min in one process',
             self.judge_steady(seen)),
            ('descriptors, stopped runs',
             self.judge_descriptors('stopped runs', self.descriptors)),
            ('descriptors, one process',
             self.judge_descriptors('one process', [s[3] for s in seen])),
        ]
        if not self.windows or not sum(self.stops.values()):
            self.fault('nothing was measured or nothing was stopped')
        print('| what | figure |\n| --- | --- |')
        for row in rows:
            print('| {} | {} |'.format(*row))
        print(f'soak: FAILED, {len(self.faults)} faults' if self.faults else 'soak: held')
        return bool(self.faults)


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 3600.0
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    sys.exit(Soak(os.path.abspath(sys.argv[1]), seconds, seed).carry_out())


if __name__ == '__main__':
    main()
