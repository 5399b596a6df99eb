# Comparison for durable writes: recorded creates through Python's sqlite3 in WAL mode, each a synced transaction, one after the other.
# `wal.py FILE RECORDED` (bin/dev/recorded-creates.ts): a new database with the recorded schema; prints creates per second.
import json
import sqlite3
import sys
import time

with open(sys.argv[2], encoding="utf-8") as file:
    recorded = json.load(file)
db = sqlite3.connect(sys.argv[1], isolation_level=None)
assert db.execute("PRAGMA journal_mode=WAL").fetchone() == ("wal",)
db.execute("PRAGMA synchronous=FULL")
for sql in recorded["schema"]:
    db.execute(sql)
began = time.perf_counter()
for create in recorded["creates"]:
    db.execute("BEGIN IMMEDIATE")
    for sql, args in create:
        db.execute(sql, args).fetchall()  # a statement with RETURNING ends with its last row
    db.execute("COMMIT")
seconds = time.perf_counter() - began
assert db.execute("SELECT count(*) FROM tasks").fetchone() == (len(recorded["creates"]),)
print(len(recorded["creates"]) / seconds)
