#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""syncost compare as a gate: what it catches, what it lets pass, what it refuses.

usage: run-unittest.py test-gate.py SYNCOST
"""

import copy
import csv
import io
import json
import os
import random
import statistics
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import reports  # noqa: E402
from harness import PATIENCE, SYNCOST, Case  # noqa: E402


class Gate(Case):
    def setUp(self):
        super().setUp()
        self.base = reports.load()
        self.count = 0

    def put(self, report):
        self.count += 1
        return reports.write(report, os.path.join(self.place, f"report{self.count}"))

    def compare(self, new, *options, base=None):
        return self.run_syncost("compare", self.put(base or self.base), self.put(new), *options)

    def fails(self, new, *options, base=None):
        """Keys that fail, by cell."""
        done = self.compare(new, "--format", "json", *options, base=base)
        self.assertIn(done.code, (0, 1), done)
        found = {}
        for cell in json.loads(done.out)["cells"]:
            for other in cell["reports"]:
                keys = {metric["key"] for metric in other.get("metrics", []) if metric["fails"]}
                if keys:
                    found[cell["id"]] = keys
        self.assertEqual(done.code, 1 if found else 0, done)
        return found

    def own_cells(self):
        return [cell["id"] for cell in self.base["cells"] if not cell["same_as"]]


class Catches(Gate):
    def test_a_report_passes_beside_itself(self):
        done = self.compare(self.base)
        self.assertDone(done)
        self.assertEqual(done.err, "")
        self.assertIn("pass: no cell of 4 costs more", done.out)
        self.assertIn("4 same", done.out)
        self.assertIn("1 with the figures of another", done.out)

    def test_one_added_sync_per_commit_is_caught_in_each_cell(self):
        for cell_id in self.own_cells():
            new = reports.changed(self.base, reports.add_syncs(1),
                                  lambda cell, one=cell_id: cell["id"] == one)
            self.assertEqual(self.fails(new), {cell_id: {"syncs_physical_per_commit",
                                                         "syncs_vfs_per_commit"}})

    def test_ten_percent_more_bytes_are_caught(self):
        found = self.fails(reports.changed(self.base, reports.scale_bytes(10)))
        self.assertEqual(sorted(found), sorted(self.own_cells()))
        for keys in found.values():
            self.assertIn("written_bytes_per_commit", keys)
        wal = [keys for name, keys in found.items() if "/wal/" in name]
        self.assertTrue(all("pages_written_per_commit" in keys for keys in wal))

    def test_steps_and_pages_are_caught_one_by_one(self):
        for key, metric in (("vm_steps", "vm_steps_per_op"), ("pages", "pages_per_op")):
            def one_more(cell, key=key):
                cell["work"][key] += 1

            found = self.fails(reports.changed(self.base, one_more))
            self.assertEqual(found, {cell_id: {metric} for cell_id in self.own_cells()})

    def test_a_report_from_before_steps_were_kept_is_compared_without_them(self):
        old = reports.changed(self.base, lambda cell: cell.pop("work"))
        more = reports.changed(self.base, lambda cell: cell["work"].update(vm_steps=10**6))
        self.assertEqual(self.fails(more, base=old), {})
        syncs = reports.changed(more, reports.add_syncs(1))
        self.assertEqual(sorted(self.fails(syncs, base=old)), sorted(self.own_cells()))

    def test_ten_percent_more_bytes_below_the_vfs_are_caught(self):
        """what a VFS writes of its own accord the kernel sees"""
        def written(bytes_):
            def change(cell):
                row = dict(cell["io"][0], instrument="libc", role="wal", op="write", bytes=bytes_)
                cell["io"] = [io for io in cell["io"] if (io["instrument"], io["op"]) !=
                              ("libc", "write")] + [row]
            return change

        base = reports.changed(self.base, written(100000))
        self.assertDone(self.compare(base, base=base))
        found = self.fails(reports.changed(base, written(110000)), base=base)
        self.assertEqual(found,
                         {cell: {"written_kernel_bytes_per_commit"} for cell in self.own_cells()})

    def test_one_added_checkpoint_is_caught(self):
        new = reports.changed(self.base, reports.add_checkpoints(1),
                              lambda cell: cell["setting"]["journal_mode"] == "wal")
        found = self.fails(new)
        self.assertEqual(set().union(*found.values()), {"checkpoints_per_commit"})
        self.assertEqual(len(found), 2)

    def test_a_planted_factor_of_two_is_caught(self):
        found = self.fails(reports.changed(self.base, reports.scale_time(2)))
        self.assertEqual(found, {cell: {"op_ns"} for cell in self.own_cells()})

    def test_a_quarter_longer_is_worse_and_passes(self):
        done = self.compare(reports.changed(self.base, reports.scale_time(1.25)))
        self.assertDone(done)
        self.assertIn("4 worse", done.out)

    def test_latency_below_the_floor_passes_and_the_floor_can_be_lowered(self):
        base = reports.changed(self.base, reports.scale_time(1 / 200))
        new = reports.changed(self.base, reports.scale_time(2 / 200))
        fast = self.compare(new, "--format", "csv", base=base)
        failing = [row for row in csv.DictReader(io.StringIO(fast.out)) if row["fails"] == "yes"]
        self.assertTrue(failing)  # 400 us is 2 us now
        self.assertTrue(all(float(row["value"]) - float(row["base"]) > 500 for row in failing))
        self.assertLess(len(failing), 4)  # 40 us is 200 ns
        self.assertDone(self.compare(new, "--latency-floor", "1h", base=base))
        self.assertIn("of 4 cells cost more",
                      self.compare(new, "--latency-floor", "0ns", base=base).out)
        self.assertDone(self.compare(new, "--latency-percent", "150", base=base))

    def test_intervals_that_do_not_agree_pass(self):
        def widen(cell):
            for key in ("ops_per_s", "commits_per_s"):
                cell[key]["low"] *= 0.6
                cell[key]["high"] *= 1.5
        wide = reports.changed(self.base, widen)
        new = reports.changed(wide, reports.scale_time(2))
        done = self.compare(new, base=wide)
        self.assertDone(done)
        self.assertIn("4 cannot tell", done.out)

    def test_what_got_cheaper_passes(self):
        new = reports.changed(self.base, reports.add_syncs(-1),
                              lambda cell: cell["syncs"]["vfs"] > 100)
        new = reports.changed(new, reports.scale_time(0.5))
        done = self.compare(new)
        self.assertDone(done)
        self.assertIn("4 better", done.out)

    def test_an_allowance_lets_a_count_grow_so_far(self):
        new = reports.changed(self.base, reports.scale_bytes(10))
        allow = ("--allow", "written_bytes_per_commit=10", "--allow",
                 "pages_written_per_commit=10%")
        self.assertEqual(self.fails(new, *allow), {})
        found = self.fails(reports.changed(self.base, reports.scale_bytes(11)), *allow)
        self.assertEqual(len(found), 4)
        found = self.fails(new, "--allow", "written_bytes_per_commit=10")
        self.assertEqual(set().union(*found.values()), {"pages_written_per_commit"})

    def test_counts_of_several_clients_may_grow_as_latency_does(self):
        base = reports.changed(self.base, lambda cell: cell.update(clients=4))
        for percent, code in ((10, 0), (40, 1)):
            new = reports.changed(base, reports.scale_bytes(percent))
            self.assertDone(self.compare(new, base=base), code)

    def test_a_busy_machine_explains_a_latency_and_no_count(self):
        def wait(cell):
            for sample in cell["samples"]:
                if sample["kind"] == "timing":
                    sample["run_delay_ns"] = sample["wall_ns"] // 4
        slow = reports.changed(self.base, reports.scale_time(2))
        self.assertEqual(len(self.fails(slow)), 4)
        busy = reports.changed(reports.changed(self.base, reports.scale_time(1.35)), wait)
        done = self.compare(busy)
        self.assertDone(done)
        self.assertIn("waiting: ", done.out)
        self.assertIn("4 cannot tell", done.out)
        # it explains a factor of 1.33, of which the base may have had its part
        self.assertEqual(len(self.fails(reports.changed(busy, reports.scale_time(2)))), 4)
        self.assertEqual(len(self.fails(reports.changed(busy, reports.add_syncs(1)))), 4)
        done = self.compare(reports.changed(slow, wait), base=reports.changed(self.base, wait))
        self.assertDone(done, 1)

    def test_who_waited_for_a_third_of_the_time_tells_nothing_of_latency(self):
        def wait(percent):
            def change(cell):
                for sample in cell["samples"]:
                    if sample["kind"] == "timing":
                        sample["run_delay_ns"] = sample["wall_ns"] * percent // 100
            return change
        slow = reports.changed(self.base, reports.scale_time(10))
        for there, percent, fails in ((slow, 29, 4), (slow, 31, 0), (slow, 63, 0)):
            busy = reports.changed(there, wait(percent))
            self.assertEqual(len(self.fails(busy)), fails, percent)
        # the base's waiting counts as well, and nothing is "better" or "same"
        done = self.compare(self.base, base=reports.changed(slow, wait(40)))
        self.assertDone(done)
        self.assertIn("4 cells compared: 4 cannot tell", done.out)
        # clients that are more than the CPUs wait for each other, as they did in the base
        def crowd(cell):
            cell["clients"] = 4
            for sample in cell["samples"]:
                if sample["kind"] == "timing":
                    sample["run_delay_ns"] = sample["wall_ns"] * 2
        found = self.compare(reports.changed(slow, crowd), base=reports.changed(self.base, crowd))
        self.assertDone(found, 1)
        # a count does not depend on it
        busy = reports.changed(slow, wait(63))
        self.assertEqual(len(self.fails(reports.changed(busy, reports.add_syncs(1)))), 4)

    def test_what_is_common_is_judged_whatever_else_differs(self):
        new = copy.deepcopy(self.base)
        new["plan"]["complete"] = False
        new["sqlite"]["version"] = "3.45.1"
        new["host"]["cpu"] = "Other CPU"
        del new["cells"][0]
        done = self.compare(new)
        self.assertDone(done, 2)
        self.assertIn("--common judges what both have", done.err)
        done = self.compare(new, "--common")
        self.assertDone(done)
        for text in ("pass: no cell of 3 costs more", "1 only in the base", "sqlite.version: ",
                     "plan.complete: complete in the base, interrupted in the new", "host.cpu: "):
            self.assertIn(text, " ".join(done.out.split()))
        self.assertEqual(len(self.fails(reports.changed(new, reports.add_syncs(1)),
                                        "--common")), 3)
        self.assertEqual(len(self.fails(reports.changed(new, reports.scale_time(10)),
                                        "--common")), 3)
        few = reports.changed(new, lambda cell: cell["ops_per_s"].update(n=4))
        self.assertEqual(self.fails(reports.changed(few, reports.scale_time(10)), "--common"), {})
        stranger = reports.changed(self.base, lambda cell: cell.update(workload="other"))
        self.assertDone(self.compare(stranger, "--common"), 2)
        done = self.compare(new, "--common", "--side-by-side")
        self.assertDone(done, 2)

    def test_what_is_alike_and_refused_is_said_once(self):
        both = copy.deepcopy(self.base)
        both["plan"]["complete"] = False
        done = self.compare(both, base=both)
        self.assertDone(done, 2)
        self.assertIn("plan.complete is interrupted in the base and in ", done.err)
        few = reports.changed(self.base, lambda cell: cell["ops_per_s"].update(n=4))
        done = self.compare(few, base=few)
        self.assertIn("samples is 4 where a gate needs 5 in the base and in ", done.err)

    def test_slow_storage_explains_the_latency_of_what_syncs(self):
        slow = reports.changed(self.base, reports.scale_time(2))
        slow["targets"][0]["sync_floor_ns_p50"] *= 3
        self.assertEqual(self.fails(slow), {})

        def never_sync(cell):
            for key in ("vfs", "directory", "physical", "fdatasync"):
                cell["syncs"][key] = 0
        done = self.compare(reports.changed(slow, never_sync),
                            base=reports.changed(self.base, never_sync))
        self.assertDone(done, 1)

    def test_a_slower_machine_explains_a_latency_and_no_count(self):
        def reference(ns):
            def change(cell):
                for sample in cell["samples"]:
                    if sample["kind"] == "timing":
                        sample["reference_ns"] = ns
            return change
        base = reports.changed(self.base, reference(120000))
        slow = reports.changed(base, reports.scale_time(2))
        self.assertEqual(len(self.fails(slow, base=base)), 4)
        slow = reports.changed(slow, reference(200000))
        done = self.compare(slow, base=base)
        self.assertDone(done)
        self.assertIn("reference: 120 µs for the reference work in the base, 200 µs",
                      " ".join(done.out.split()))
        # a base without it tells nothing of the machine, and a faster machine explains no loss
        def forget(cell):
            for sample in cell["samples"]:
                sample.pop("reference_ns", None)
        self.assertEqual(len(self.fails(slow, base=reports.changed(base, forget))), 4)
        fast = reports.changed(slow, reference(60000))
        self.assertEqual(len(self.fails(fast, base=base)), 4)
        # the allowance is of what the reference says, and not of more
        slower = reports.changed(slow, reports.scale_time(1.5))
        self.assertEqual(len(self.fails(slower, base=base)), 4)
        counts = reports.changed(slow, reports.add_syncs(1))
        self.assertEqual(len(self.fails(counts, base=base)), 4)

    def test_what_does_not_sync_is_compared_at_the_machines_speed(self):
        def never_sync(cell):
            for key in ("vfs", "directory", "physical", "fdatasync"):
                cell["syncs"][key] = 0
        def machine(factor, build=1, delay=0):
            """A report from a machine that is so much slower, of a build that is, on a busy CPU."""
            def change(cell):
                never_sync(cell)
                times = [s for s in cell["samples"] if s["kind"] == "timing"]
                for i, sample in enumerate(times):
                    slow = 1 + 0.05 * (i % 3)
                    sample["reference_ns"] = round(120000 * factor * slow)
                    sample["wall_ns"] = round(sample["wall_ns"] * slow)
                    sample["run_delay_ns"] = round(sample["wall_ns"] * delay)
            return reports.changed(
                reports.changed(self.base, reports.scale_time(factor * build / (1 - delay))), change)
        for base, new, build, fails in ((1, 1, 1, 0), (1, 1.6, 1, 0), (1.6, 1, 1, 0),
                                        (1.6, 1, 2, 4), (1, 1.6, 2, 4), (1, 1.6, 1.2, 0)):
            found = self.fails(machine(new, build), base=machine(base))
            self.assertEqual(len(found), fails, (base, new, build))
        # what is not the quotient of the figures beside it says so; with syncs it is
        marked = self.compare(machine(1, 2), "--format", "table", base=machine(1.6))
        self.assertRegex(marked.out, r"\dx\^ ")
        self.assertIn("^: of what does not sync", marked.out)
        raw = self.compare(reports.changed(self.base, reports.scale_time(2)), "--format", "table")
        self.assertNotIn("^", raw.out)
        marked = self.compare(machine(1.6), "--format", "md", "--side-by-side", base=machine(1))
        self.assertIn("1.00x^", marked.out)
        self.assertIn("^: of what does not sync", marked.out)
        for delay, build, fails in ((0.4, 1, 0), (0.4, 2, 4), (0.59, 1, 0), (0.59, 2, 4),
                                    (0.61, 2, 0)):
            found = self.fails(machine(1.3, build, delay), base=machine(1))
            self.assertEqual(len(found), fails, (delay, build))

    def test_resampled_pairs_raise_no_alarm(self):
        source = random.Random(20240611)
        times = [1.0, 1.25, 0.9, 1.6, 1.1, 0.95, 1.3, 0.85, 1.05]

        def resample(cell):
            drawn = sorted(1 / source.choice(times) for _ in times)
            for key in ("ops_per_s", "commits_per_s"):
                rate = cell[key]["median"]
                cell[key].update(median=rate * statistics.median(drawn), low=rate * drawn[1],
                                 high=rate * drawn[7], n=9)
        for _ in range(40):
            done = self.compare(reports.changed(self.base, resample),
                                base=reports.changed(self.base, resample))
            self.assertDone(done)


class Matches(Gate):
    def test_the_label_of_a_lone_target_does_not_matter(self):
        new = copy.deepcopy(self.base)
        new["targets"][0]["label"] = "elsewhere"
        for cell in new["cells"]:
            cell["target"] = "elsewhere"
        done = self.compare(new)
        self.assertDone(done)
        self.assertIn("4 same", done.out)

    def test_the_order_of_cells_does_not_matter(self):
        new = copy.deepcopy(self.base)
        new["cells"].reverse()
        self.assertIn("4 same", self.compare(new).out)

    def test_cells_only_in_the_new_are_named_and_pass(self):
        base = copy.deepcopy(self.base)
        del base["cells"][0]
        done = self.compare(self.base, base=base)
        self.assertDone(done)
        self.assertIn("1 not in the base", done.out)


class Refuses(Gate):
    """Each refusal is exit code 2 with the key on the one line of standard error."""

    def refused(self, new, key, *words, base=None):
        done = self.compare(new, base=base)
        self.assertEqual(done.code, 2, done)
        self.assertRegex(done.err, r"\Asyncost compare: [^\n]*\n\Z")
        self.assertIn(f": {key} is ", done.err)
        self.assertIn("invalid", done.out)
        for word in (key, *words):
            self.assertIn(word, done.out + done.err)
        for name in ("json", "md", "csv"):
            self.assertEqual(self.compare(new, "--format", name, base=base).code, 2)
        return done

    def passes_ignored(self, new, key, code=0):
        self.assertDone(self.compare(new, "--ignore", key), code)

    def test_cells_of_other_settings(self):
        def grow(cell):
            cell["setting"]["page_size"] = cell["effective"]["page_size"] = 8192
        new = reports.changed(self.base, grow)
        self.refused(new, "page_size", "4096", "8192")
        self.passes_ignored(new, "page_size")

    def test_cells_of_another_wal_state(self):
        new = reports.changed(self.base, lambda cell: cell.update(wal_state="fresh"),
                              lambda cell: cell["setting"]["journal_mode"] == "wal")
        self.refused(new, "wal_state", "recycled", "fresh")
        self.passes_ignored(new, "wal_state")

    def test_a_missing_cell(self):
        new = copy.deepcopy(self.base)
        del new["cells"][0]
        done = self.refused(new, "cells", self.base["cells"][0]["id"], "not in it")
        self.assertIn("--ignore cells", done.err)
        self.passes_ignored(new, "cells")

    def test_keys_of_cells(self):
        for key, value in (("suite_digest", "b" * 64), ("seed", 8),
                           ("ledger_ops", 200)):
            new = reports.changed(self.base, lambda cell, k=key, v=value: cell.update({k: v}))
            self.refused(new, key)
            if key != "ledger_ops":
                self.passes_ignored(new, key)

    def test_cells_of_several_numbers_of_rows_are_told_apart(self):
        both = copy.deepcopy(self.base)
        more = reports.changed(self.base, lambda cell: cell.update(rows=20000, same_as=None))
        for cell in more["cells"]:
            cell["id"] += "/rows=20000"
        both["cells"] += more["cells"]
        self.assertDone(self.compare(both, base=both))
        worse = reports.changed(both, reports.add_syncs(1), lambda cell: cell["rows"] == 20000)
        self.assertEqual(sorted(self.fails(worse, base=both)),
                         sorted(cell["id"] for cell in more["cells"]))

    def test_other_rows(self):
        new = reports.changed(self.base, lambda cell: cell.update(rows=20000))
        self.refused(new, "rows", "10000", "20000")
        self.passes_ignored(new, "rows")

    def test_settings_that_were_not_taken(self):
        def refuse(cell):
            cell["effective"]["mmap_size"] = 65536
        self.refused(reports.changed(self.base, refuse), "effective", "mmap_size=65536")

    def test_too_few_samples(self):
        def cut(cell):
            cell["ops_per_s"]["n"] = 4
        new = reports.changed(self.base, cut)
        self.refused(new, "samples", "4")
        self.assertDone(self.compare(new, "--counts-only"))
        self.passes_ignored(new, "samples")

    def test_counts_that_one_report_lacks(self):
        def blind(cell):
            for key in ("physical", "directory", "fsync", "fdatasync"):
                cell["syncs"][key] = {"status": "unsupported", "reason": "no tap"}
        self.refused(reports.changed(self.base, blind), "counts", "syncs_physical_per_commit")

    def test_a_failed_cell(self):
        def fail(cell):
            cell["status"] = "failed"
            cell["reason"] = "the disk is gone"
        new = reports.changed(self.base, fail, lambda cell: cell is not None and
                              cell["id"] == self.own_cells()[0])
        self.refused(new, "status", "the disk is gone")

    def test_keys_of_reports(self):
        for section, key, value in (("sqlite", "version", "3.45.1"), ("host", "cpu", "Other CPU"),
                                    ("host", "cpu_count", 4), ("plan", "complete", False)):
            new = copy.deepcopy(self.base)
            new[section][key] = value
            name = f"{section}.{key}"
            self.refused(new, name)
            self.passes_ignored(new, name)

    def test_keys_of_targets(self):
        for key, value in (("filesystem", "xfs"), ("storage", "sdb"), ("rotational", False),
                           ("write_cache", "write through")):
            new = copy.deepcopy(self.base)
            new["targets"][0][key] = value
            self.refused(new, f"target.{key}")
            self.passes_ignored(new, "platform")
            self.assertDone(self.compare(new, "--counts-only"))

    def test_what_is_only_noted(self):
        new = copy.deepcopy(self.base)
        new["host"]["kernel"] = "Linux 6.1.1"
        new["host"]["memory_bytes"] *= 2
        new["sqlite"]["source_id"] = "another build"
        new["targets"][0]["mount_options"] = "rw"
        new["targets"][0]["sync_floor_ns_p50"] *= 3
        done = self.compare(new)
        self.assertDone(done)
        for key in ("host.kernel", "host.memory_bytes", "sqlite.source_id",
                    "target.mount_options", "target.sync_floor_ns_p50"):
            self.assertIn(key, done.out)

    def test_several_keys_are_counted(self):
        new = copy.deepcopy(self.base)
        new["sqlite"]["version"] = "3.45.1"
        new["host"]["cpu"] = "Other CPU"
        done = self.refused(new, "sqlite.version")
        self.assertIn("and 1 key more", done.err)
        self.assertIn("host.cpu", done.out)

    def test_reports_without_a_common_cell(self):
        new = reports.changed(self.base, lambda cell: cell.update(workload="other"))
        done = self.compare(new, "--ignore", "cells")
        self.assertEqual(done.code, 2, done)
        self.assertIn("no cell in common", done.err)

    def test_ignored_keys_that_leave_cells_alike(self):
        done = self.compare(self.base, "--ignore", "synchronous")
        self.assertOneLine(done, 2, "cannot be told apart", "ignore fewer keys")


class SideBySide(Gate):
    def test_several_hosts_are_shown_and_nothing_fails(self):
        places = [self.put(self.base)]
        for label, factor in (("hdd", 20), ("nvme", 0.5)):
            other = reports.changed(self.base, reports.scale_time(factor))
            other["host"].update(label=label, cpu="CPU of " + label)
            other["sqlite"]["version"] = "3.45.1"
            places.append(self.put(other))
        done = self.run_syncost("compare", *places)
        self.assertDone(done)
        self.assertIn("3 reports side by side", done.out)
        for word in ("box", "hdd", "nvme", "0.05x", "2.00x", "sqlite.version"):
            self.assertIn(word, done.out)
        self.assertEqual(self.run_syncost("compare", *places, "--gate").code, 2)
        done = self.run_syncost("compare", *places, "--format", "json")
        self.assertEqual(json.loads(done.out)["rules"]["gate"], False)

    def test_two_reports_are_shown_on_request(self):
        new = reports.changed(self.base, reports.scale_time(3))
        new["host"]["cpu"] = "Other CPU"
        done = self.compare(new, "--side-by-side")
        self.assertDone(done)
        self.assertIn("0.33x", done.out)

    def test_a_gate_over_three_names_the_one_that_fails(self):
        bad = reports.changed(self.base, reports.add_syncs(1))
        bad["host"]["label"] = "bad"
        places = [self.put(one) for one in (self.base, self.base, bad)]
        done = self.run_syncost("compare", *places, "--gate")
        self.assertDone(done, 1)
        self.assertIn("4 of 8 cells cost more", done.out)


class Formats(Gate):
    def test_json_is_json_with_a_cell_a_line(self):
        done = self.compare(reports.changed(self.base, reports.add_syncs(1)), "--format", "json")
        value = json.loads(done.out)
        self.assertEqual(value["format"], "syncost-compare-1")
        self.assertEqual(value["outcome"], "regression")
        self.assertEqual(value["reports"][1]["cells"]["failing"], 4)
        lines = [line for line in done.out.splitlines() if line.startswith('{"id"')]
        self.assertEqual(len(lines), len(self.base["cells"]))

    def test_csv_has_a_row_for_each_cell_and_metric(self):
        done = self.compare(self.base, "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.out)))
        copies = [row for row in rows if row["state"] == "copy"]
        self.assertEqual(len(copies), 1)
        self.assertEqual((len(rows) - 1) % 4, 0)
        self.assertTrue(all(None not in row and None not in row.values() for row in rows))
        self.assertEqual({row["verdict"] for row in rows if row["kind"] == "count"}, {"same"})

    def test_a_comment_says_the_verdict_first_and_folds_the_rest(self):
        new = reports.changed(self.base, reports.add_syncs(1),
                              lambda cell: cell["id"] == self.own_cells()[0])
        done = self.compare(new, "--format", "md")
        first, rest = done.out.split("\n", 1)
        self.assertEqual(first, "### syncost: regression: 1 of 4 cells costs more than is allowed")
        shown, folded = rest.split("<details>")
        self.assertIn("**fails**", shown)
        self.assertEqual(shown.count("insert_one"), 3)
        self.assertIn("wal/normal", folded)
        self.assertNotIn("wal/normal", shown)

    def test_standard_output_that_is_full_is_an_error(self):
        base, new = self.put(self.base), self.put(self.base)
        with open("/dev/full", "w", encoding="utf-8") as full:
            for name in ("table", "md", "csv", "json"):
                run = subprocess.run([SYNCOST, "compare", base, new, "--format", name],
                                     stdout=full, stderr=subprocess.PIPE, text=True,
                                     timeout=PATIENCE, check=False)
                self.assertEqual(run.returncode, 4, run)
                self.assertRegex(run.stderr, r"\Asyncost[^\n]*No space left[^\n]*\n\Z")


class BadInput(Gate):
    def one_line(self, words, *arguments):
        self.assertOneLine(self.run_syncost("compare", *arguments), 2, *words)

    def test_too_few_reports(self):
        self.one_line(["two reports are needed"])
        self.one_line(["two reports are needed", "one is given"], self.put(self.base))

    def test_reports_that_are_none(self):
        good = self.put(self.base)
        self.one_line(["nowhere", "No such file"], good, "nowhere")
        for text in ("", "{}", "not a report\n"):
            path = os.path.join(self.place, "bad.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.one_line(["bad.json"], good, path)
            self.one_line(["bad.json"], path, good)

    def test_a_report_that_was_cut_short(self):
        good = self.put(self.base)
        path = os.path.join(good, "summary.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        cut = os.path.join(self.place, "cut.json")
        for length in (len(text) // 4, len(text) // 2, len(text) - 3):
            with open(cut, "w", encoding="utf-8") as file:
                file.write(text[:length])
            self.one_line(["cut.json"], good, cut)

    def test_options_that_make_no_sense(self):
        pair = [self.put(self.base), self.put(self.base)]
        self.one_line(["METRIC=PERCENT"], *pair, "--allow", "syncs_physical_per_commit")
        self.one_line(["did you mean 'syncs_physical_per_commit'"], *pair, "--allow",
                      "syncs_phisical_per_commit=1")
        self.one_line(["is a latency"], *pair, "--allow", "op_ns=1")
        self.one_line(["never fails"], *pair, "--allow", "commit_ns_p99=1")
        for value in ("", "x", "-1", "1x", "nan", "inf"):
            self.one_line(["not a percentage"], *pair, "--allow",
                          "syncs_physical_per_commit=" + value)
        self.one_line(["did you mean 'sqlite.version'"], *pair, "--ignore", "sqlite.versoin")
        self.one_line(["exclude each other"], *pair, "--gate", "--side-by-side")
        self.one_line(["not a duration"], *pair, "--latency-floor", "5")

    def test_the_same_cell_twice(self):
        twice = copy.deepcopy(self.base)
        twice["cells"].append(copy.deepcopy(twice["cells"][0]))
        twice["cells"][-1]["id"] += "/again"
        self.one_line(["cannot be told apart", "holds a cell twice"], self.put(twice),
                      self.put(self.base))


if __name__ == "__main__":
    unittest.main()
