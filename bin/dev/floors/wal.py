# Comparison for durable writes: the same inserts with Python's sqlite3 in WAL mode, synced. `wal.py FILE COUNT`; prints inserts per second.
import sqlite3
import sys
import time

path, count = sys.argv[1], int(sys.argv[2])
db = sqlite3.connect(path, isolation_level=None)
db.execute("PRAGMA journal_mode=WAL")
db.execute("PRAGMA synchronous=FULL")
db.execute("CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT, body TEXT, status TEXT, created_at INTEGER)")
db.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, task TEXT, kind TEXT, payload TEXT, at INTEGER)")
began = time.perf_counter()
for at in range(count):
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO tasks VALUES (?, ?, ?, ?, ?)", (f"t_{at:08x}", f"task {at}", "x" * 200, "ready", at))
    db.execute("INSERT INTO events (task, kind, payload, at) VALUES (?, ?, ?, ?)", (f"t_{at:08x}", "created", "{}", at))
    db.execute("COMMIT")
print(count / (time.perf_counter() - began))
