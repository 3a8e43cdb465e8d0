# SPDX-License-Identifier: MIT
"""The extension in C programs: what it wraps, who is measured, what it refuses."""

import glob
import json
import os
import re
import shutil
import subprocess
import unittest

from places import EXTENSION, READ_METER, SHARED, STATIC, Case

PREFIX = "error during initialization: "  # SQLite's
IO = ("SELECT database, role, operation, calls, failures, bytes FROM syncost_io "
      "ORDER BY rowid")

# A shim asks the VFS below for sizes by itself; the library was opened before there were two.
NOT_ALIKE = ("file_size", "dlopen")


class Loading(Case):
    def test_static(self):
        """a program with a SQLite of its own inside is measured as one with a shared"""
        counts = []
        for program in (SHARED, STATIC):
            host = self.loaded(program)
            self.work(host, uri=f"{self.home}/{len(counts)}.db")
            counts.append(self.writes(host, f"{self.home}/{len(counts)}.db"))
        self.assertEqual(counts[0], counts[1])
        self.assertGreater(counts[0][0], 10)

    def test_no_names(self):
        """it needs no function of SQLite by name, and no library but libc"""
        nm = subprocess.run(["nm", "-D", EXTENSION], capture_output=True, text=True, check=True)
        self.assertEqual([], re.findall(r" U (sqlite3_\w+|syncost_\w+|sc_\w+)", nm.stdout))
        self.assertEqual(["sqlite3_extension_init", "sqlite3_syncost_init"],
                         sorted(re.findall(r" T (\w+)", nm.stdout)))
        read = subprocess.run(["readelf", "-d", EXTENSION], capture_output=True, text=True,
                              check=True)
        needed = re.findall(r"NEEDED.*\[(\w+)", read.stdout)
        self.assertEqual([], [name for name in needed
                              if name not in ("libc", "libasan", "libubsan", "libtsan", "ld")])
        self.assertIn("NODELETE", read.stdout)

    def test_stays(self):
        """it stays when the connection that loaded it is closed, and later ones have all of it"""
        host = self.loaded()
        host("close loader")
        self.work(host)
        self.assertGreater(self.writes(host, name="a")[0], 10)
        self.assertIn("commits 7", "\n".join(host("sql a SELECT syncost_report()")))

    def test_again(self):
        """loaded in many connections, in running statements too, it wraps and counts once"""
        once, often = self.loaded(), self.loaded()
        for name in ("b", "c", "loader"):
            often(f"open {name} :memory:") if name != "loader" else None
            self.assertEqual([], often(f"load {name} {EXTENSION}"))
            self.assertEqual([], often(f"load {name} {EXTENSION}"))
            self.assertEqual(["NULL"],
                             often(f"sql {name} SELECT load_extension('{EXTENSION}')"))
        counts = []
        for number, host in enumerate((once, often)):
            self.work(host, uri=f"{self.home}/{number}.db")
            host(f"load a {EXTENSION}")
            counts.append(self.writes(host, f"{self.home}/{number}.db"))
        self.assertEqual(counts[0], counts[1])

    def test_threads(self):
        """eight threads, each with its database, while the tables are read: nothing is missed"""
        for program in (SHARED, STATIC):
            host = self.loaded(program)
            uri = f"{self.home}/{os.path.basename(program)}-%d.db"
            self.assertEqual([], host(f"threads {uri} 8 50"))
            rows = host("sql loader SELECT commits FROM syncost_checkpoints")
            self.assertEqual(["51"] * 8, rows)

    def test_loads(self):
        """eight threads that load it at the same moment register one shim, and all have the tables"""
        host = self.host()
        self.assertEqual([], host(f"loads {EXTENSION}"))
        host("open a :memory:")
        self.work(host, "b")
        self.assertIn("VFS syncost over unix;", host("sql a SELECT syncost_report()")[0])
        once = self.loaded()
        self.work(once, uri=f"{self.home}/once.db")
        self.assertEqual(self.writes(once, f"{self.home}/once.db"), self.writes(host, name="a"))

    def test_shutdown(self):
        """after SQLite was shut down nothing is measured, until it is loaded again"""
        host = self.loaded()
        self.work(host)
        host("close a")
        host("close loader")
        self.assertEqual([], host("shutdown"))
        host("open a :memory:")
        self.assertEqual(["error: no such table: syncost_io"],
                         host("sql a SELECT * FROM syncost_io"))
        self.assertEqual([], host(f"load a {EXTENSION}"))
        before = self.writes(host, name="a")
        self.work(host, "b")
        self.assertGreater(self.writes(host, name="b"), before)
        self.assertIn("VFS syncost over unix;", host("sql b SELECT syncost_report()")[0])

    def test_memory(self):
        """what the program sees of a failure: one line, and its connection goes on"""
        host = self.loaded()
        self.assertEqual(["error: syncost_report: the format is 'text' or 'json'"],
                         host("sql loader SELECT syncost_report('xml')"))
        self.assertEqual(["error: syncost_report: the format is 'text' or 'json'"],
                         host("sql loader SELECT syncost_report(NULL)"))
        self.assertEqual(["error: table syncost_io may not be modified"],
                         host("sql loader DELETE FROM syncost_io"))
        self.assertEqual(1, len(host("sql loader CREATE VIRTUAL TABLE x USING syncost_io")))
        self.assertEqual(["1"], host("sql loader SELECT 1"))

    def test_reset_by_hand(self):
        """the figures are not reset by what a schema says"""
        host = self.loaded()
        self.work(host)
        host("sql a CREATE VIEW v AS SELECT syncost_reset()")
        self.assertEqual(["error: unsafe use of syncost_reset()"], host("sql a SELECT * FROM v"))
        self.assertNotEqual(["0"], host("sql loader SELECT count(*) FROM syncost_commits"))

    def test_fork(self):
        """a child begins with figures of its own; those of the parent stay what they were"""
        host = self.loaded()
        self.work(host)
        before = host(f"sql loader {IO}")
        self.assertEqual(["0|0"], host("fork loader SELECT (SELECT count(*) FROM syncost_io), "
                                       "(SELECT count(*) FROM syncost_commits)"))
        self.assertEqual(["NULL"], host("fork loader SELECT syncost_reset()"))
        text = "\n".join(host("fork loader SELECT syncost_report()"))
        self.assertIn("nothing was measured yet", text)
        self.assertEqual(before, host(f"sql loader {IO}"))

    def test_killed(self):
        """a killed program's figures can still be read, until the next one starts"""
        host = self.loaded()
        self.work(host)
        before = host(f"sql loader {IO}")
        path = json.loads("\n".join(host("sql loader SELECT syncost_report('json')")))["meter"]
        host.process.kill()
        host.process.wait()
        read = subprocess.run([READ_METER, path], capture_output=True, text=True, check=True)
        self.assertEqual(before, [line.rsplit("|", 3)[0] for line in read.stdout.splitlines()])
        self.loaded()
        self.assertFalse(os.path.exists(path))


class Refusing(Case):
    def test_name(self):
        """a VFS of its name is there already: one line, nothing is loaded, the program goes on"""
        host = self.host()
        host("open a :memory:")
        self.assertEqual([], host("witness syncost"))
        said = host(f"load a {EXTENSION}")
        self.assertEqual(1, len(said))
        self.assertIn("there is a VFS named syncost already", said[0])
        self.assertEqual(["error: no such table: syncost_io"],
                         host("sql a SELECT * FROM syncost_io"))
        self.work(host, "b")

    def test_copy(self):
        """a copy of the file, too, into the same SQLite"""
        host = self.loaded()
        copy = shutil.copy(EXTENSION, f"{self.home}/copy.so")
        self.assertIn("there is a VFS named syncost already", host(f"load loader {copy}")[0])

    def test_old(self):
        """a SQLite that is too old is told so"""
        host = self.host()
        self.assertEqual(["error: syncost: needs SQLite 3.31 or newer, this program has 3.8.0"],
                         host(f"old {EXTENSION}"))
        host("open a :memory:")
        self.assertEqual([], host(f"load a {EXTENSION}"))

    def test_two(self):
        """a second SQLite of the process is refused, and has figures of its own from a copy"""
        host = self.loaded(STATIC)
        said = host(f"other libsqlite3.so.0 {EXTENSION}")
        self.assertEqual([f"error: {PREFIX}syncost: measures another copy of SQLite in this process: "
                          "load a copy of the extension's file"], said)
        self.work(host)
        copy = shutil.copy(EXTENSION, f"{self.home}/copy.so")
        self.assertEqual(["0"], host(f"other libsqlite3.so.0 {copy}"))
        self.assertEqual(["1"], host("sql loader SELECT count(*) FROM syncost_checkpoints"))
        path = json.loads("\n".join(host("sql loader SELECT syncost_report('json')")))["meter"]
        read = subprocess.run([READ_METER, path], capture_output=True, text=True, check=True)
        self.assertEqual(host(f"sql loader {IO}"),
                         [line.rsplit("|", 3)[0] for line in read.stdout.splitlines()])
        self.assertEqual(0, host.end())
        self.assertEqual([], glob.glob(f"{path}*"))


class Wrapping(Case):
    def alike(self, rows):
        return [row for row in rows if row.split("|")[2] not in NOT_ALIKE]

    def test_witness(self):
        """over another shim, it sees what that sees, call by call"""
        host = self.host()
        self.assertEqual([], host("witness under"))
        host("open loader :memory:")
        self.assertEqual([], host(f"load loader {EXTENSION}"))
        self.work(host, rows=50)
        host("sql a PRAGMA wal_checkpoint")
        self.assertIn("VFS syncost over under", host("sql loader SELECT syncost_report()")[0])
        rows = self.alike(host(f"sql loader {IO}"))
        self.assertEqual(self.alike(host("rows")), rows)
        self.assertGreater(len(rows), 20)

    def test_under(self):
        """under another shim that comes later, it still sees all"""
        host = self.loaded()
        self.assertEqual([], host("witness above"))
        self.work(host, rows=50)
        rows = self.alike(host(f"sql loader {IO}"))
        self.assertEqual(self.alike(host("rows")), rows)

    def test_named(self):
        """vfs=syncost is measured, vfs=unix is not, and both are told which they are"""
        host = self.loaded()
        measured = "SELECT DISTINCT measured FROM syncost_settings WHERE is_this"
        self.work(host, "a", f"file:{self.db}?vfs=syncost")
        before = self.writes(host)
        self.assertGreater(before[0], 10)
        self.work(host, "b", f"file:{self.db}?vfs=unix")
        self.assertEqual(before, self.writes(host))
        self.assertEqual([["1"], ["0"], ["0"]],
                         [host(f"sql {name} {measured} AND schema = 'main'")
                          for name in ("a", "b", "loader")])
        for name, is_said in (("a", False), ("b", True), ("loader", True)):
            text = "\n".join(host(f"sql {name} SELECT syncost_report()"))
            self.assertEqual(is_said, "this connection is not measured" in text)
            report = json.loads("".join(host(f"sql {name} SELECT syncost_report('json')")))
            self.assertEqual(not is_said, report["is_this_connection_measured"])

    def test_loading(self):
        """the connection that loads it stays unmeasured, with a file too"""
        host = self.host()
        host(f"open a {self.db}")
        host(f"load a {EXTENSION}")
        host("sql a CREATE TABLE t(a)")
        self.assertEqual((0, 0), self.writes(host, name="a"))
        self.assertEqual(["NULL|0"], host("sql a SELECT DISTINCT connection, measured "
                                          "FROM syncost_settings WHERE schema = 'main'"))

    def test_attached(self):
        """a transaction over two databases is one commit, with a record that says two"""
        host = self.loaded()
        host(f"open a {self.db}")
        host("sql a CREATE TABLE t(a)")
        host(f"sql a ATTACH '{self.home}/other.db' AS other")
        host("sql a CREATE TABLE other.t(a)")
        host("sql loader SELECT syncost_reset()")
        host("sql a BEGIN; INSERT INTO main.t VALUES(1); INSERT INTO other.t VALUES(1); COMMIT")
        host("sql a INSERT INTO other.t VALUES(2)")
        self.assertEqual(["2", "1"], host("sql loader SELECT databases FROM syncost_commits"))
        self.assertEqual(["app.db|1", "other.db|2"],
                         host("sql loader SELECT replace(database, '" + self.home + "/', ''), "
                              "commits FROM syncost_checkpoints"))

    def test_reset(self):
        """after a reset nothing is left, and counting goes on"""
        host = self.loaded()
        self.work(host)
        self.assertEqual(["NULL"], host("sql loader SELECT syncost_reset()"))
        for table in ("syncost_io", "syncost_commits"):
            self.assertEqual(["0"], host(f"sql loader SELECT count(*) FROM {table}"))
        host("sql a INSERT INTO t VALUES(1)")
        self.assertEqual(["1"], host("sql loader SELECT count(*) FROM syncost_commits"))
        self.assertEqual((2, 4120), self.writes(host))  # a frame: header and page

    def test_checkpoints(self):
        """checkpoints, frames and who did them are those of the PRAGMA"""
        host = self.loaded()
        self.work(host, rows=20)
        done = host("sql a PRAGMA wal_checkpoint(TRUNCATE)")
        self.assertEqual(["0|0|0"], done)
        pages = int(host("sql a PRAGMA page_count")[0])
        row = host("sql loader SELECT checkpoints, frames, bytes, wal_bytes, wal_bytes_max >= 20 * "
                   "4120 FROM syncost_checkpoints")
        self.assertEqual([f"1|{pages}|{pages * 4096}|0|1"], row)

    def test_json(self):
        """the JSON has the tables' rows, and is JSON whatever a file is called"""
        host = self.loaded()
        path = f'{self.home}/od"d\\ näme.db'
        self.work(host, uri=path)
        report = json.loads("\n".join(host("sql loader SELECT syncost_report('json')")))
        self.assertEqual("syncost-vfs-1", report["format"])
        self.assertEqual([path], [row["database"] for row in report["checkpoints"]])
        self.assertEqual(7, report["transactions"])  # the journal mode, CREATE, and five
        table = host("sql loader SELECT calls FROM syncost_io")
        self.assertEqual(table, [str(row["calls"]) for row in report["io"]])


class Settings(Case):
    VALUES = "SELECT value FROM syncost_settings WHERE NOT is_this AND setting = '{}'"

    def seen(self, host, setting, path=None):
        """What another connection is told, and how it is known."""
        return host("sql loader SELECT value || ' ' || source FROM syncost_settings WHERE "
                    f"NOT is_this AND setting = '{setting}' AND database = '{path or self.db}'")[0]

    def asked(self, host, setting, schema="main"):
        """SQLite's own answer."""
        return host(f"sql a PRAGMA {schema}.{setting}")[0]

    def check(self, host, setting, how, schema="main", path=None):
        self.assertEqual(f"{self.asked(host, setting, schema)} {how}",
                         self.seen(host, setting, path))

    def test_others(self):
        """what is known of another connection is what SQLite answers there, for each value"""
        host = self.loaded()
        host(f"open a {self.db}")
        host("sql a PRAGMA page_size=8192")
        host("sql a CREATE TABLE t(a)")
        for setting in ("journal_mode", "synchronous", "locking_mode", "cache_size",
                        "wal_autocheckpoint"):
            self.check(host, setting, "default")
        self.check(host, "page_size", "seen")
        for value in ("off", "normal", "full", "extra", "0", "1", "2", "3", "4", "7", "9", "260",
                      "on", "no", "yes", "nonsense"):
            host(f"sql a PRAGMA synchronous={value}")
            with self.subTest(value):
                self.check(host, "synchronous", "pragma")
        host("sql a BEGIN; INSERT INTO t VALUES(1); PRAGMA synchronous=0")
        host("sql a COMMIT")
        self.check(host, "synchronous", "pragma")  # refused in a transaction
        for value in ("truncate", "persist", "memory", "off", "nonsense", "delete"):
            host(f"sql a PRAGMA journal_mode={value}")
            with self.subTest(value):
                self.check(host, "journal_mode", "pragma")
        for setting, values in (("cache_size", ("100", "-5000")), ("locking_mode", ("exclusive",)),
                                ("wal_autocheckpoint", ("7", "-3", "0"))):
            for value in values:
                host(f"sql a PRAGMA {setting}={value}")
                with self.subTest(f"{setting} {value}"):
                    self.check(host, setting, "pragma")
        host("sql a PRAGMA mmap_size=1048576")
        self.check(host, "mmap_size", "seen")

    def test_wal(self):
        """WAL is seen, whoever set it; asking for it where it cannot be had is not"""
        host = self.loaded()
        self.work(host)
        self.check(host, "journal_mode", "seen")
        host("close a")
        host(f"open a {self.db}")
        host("sql a SELECT * FROM t")
        self.check(host, "journal_mode", "seen")
        host("sql a PRAGMA journal_mode=delete")
        self.check(host, "journal_mode", "pragma")
        host("sql a BEGIN; INSERT INTO t VALUES(1); PRAGMA journal_mode=wal")
        host("sql a COMMIT")
        self.assertEqual("delete", self.asked(host, "journal_mode"))
        self.assertEqual("delete default", self.seen(host, "journal_mode"))

    def test_attached(self):
        """attached databases have their own; what a PRAGMA without a name may mean is told apart"""
        host = self.loaded()
        other = f"{self.home}/other.db"
        host(f"open a {self.db}")
        host("sql a CREATE TABLE t(a)")
        host("sql a PRAGMA wal_autocheckpoint=5")
        host(f"sql a ATTACH '{other}' AS other")
        host("sql a CREATE TABLE other.t(a)")
        self.check(host, "wal_autocheckpoint", "pragma", "other", other)
        host("sql a PRAGMA other.synchronous=1")
        self.check(host, "synchronous", "default")
        self.check(host, "synchronous", "pragma", "other", other)
        host("sql a PRAGMA journal_mode=persist")
        self.check(host, "journal_mode", "pragma")
        self.check(host, "journal_mode", "likely", "other", other)

    def test_asked(self):
        """for the connection that asks, SQLite's answers, and asking is not counted"""
        host = self.loaded()
        self.work(host)
        host("sql a ATTACH ':memory:' AS m")
        host("sql a PRAGMA cache_size=77")
        for schema in ("main", "m"):
            for setting in ("journal_mode", "synchronous", "page_size", "cache_size"):
                self.assertEqual([self.asked(host, setting, schema) + "|asked"],
                                 host("sql a SELECT value, source FROM syncost_settings WHERE "
                                      f"is_this AND schema = '{schema}' AND "
                                      f"setting = '{setting}'"))
        self.assertEqual(["m|1|0", "main|1|1"],
                         host("sql a SELECT DISTINCT schema, connection, measured "
                              "FROM syncost_settings WHERE is_this ORDER BY 1"))
        calls = ("sql loader SELECT sum(calls) FROM syncost_io "
                 "WHERE operation = 'file_control'")
        before = host(calls)
        host("sql a SELECT 1 FROM syncost_settings")
        self.assertEqual(before, host(calls))
        host("sql a PRAGMA synchronous")  # control: the program's own is
        self.assertNotEqual(before, host(calls))

    def test_denied(self):
        """where the program forbids the questions, what was seen is the answer"""
        host = self.loaded()
        self.work(host)
        host("deny a")
        self.assertEqual(["error: not authorized"], host("sql a PRAGMA synchronous"))
        self.assertEqual(["1|1|wal|seen"],
                         host("sql a SELECT is_this, measured, value, source "
                              "FROM syncost_settings WHERE setting = 'journal_mode'"))

    def test_locks(self):
        """asking opens no file: the locks of a connection hold"""
        host = self.loaded()
        host(f"open a {self.db}")
        host("sql a CREATE TABLE t(a)")
        host("sql a BEGIN EXCLUSIVE")
        before = self.descriptors(host)
        host("sql loader SELECT * FROM syncost_settings")
        host("sql loader SELECT syncost_report('json')")
        host("sql loader SELECT syncost_report()")
        self.assertEqual(before, self.descriptors(host))
        other = self.host()
        other(f"open b {self.db}")
        self.assertEqual(["error: database is locked"], other("sql b INSERT INTO t VALUES(1)"))
        host(f"touch {self.db}")  # control: opened and closed once, they do not
        self.assertEqual([], other("sql b INSERT INTO t VALUES(1)"))

    def descriptors(self, host):
        folder = f"/proc/{host.process.pid}/fd"
        return sorted(os.readlink(f"{folder}/{name}") for name in os.listdir(folder))


if __name__ == "__main__":
    unittest.main()
