import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { seeded } from "../../fixtures/ports/random.js";
import { plainSqlite } from "../../fixtures/sim/check.js";
import { realDisk } from "../../lib/base/fs/disk.js";
import { distFile } from "../../lib/base/fs/dist.js";
import { silentLog } from "../../lib/base/log/log.js";
import { systemClock } from "../../lib/base/time/clock.js";
import type { StoreSpec } from "../store.js";
import { openStore } from "./store-open.js";

/** 20 in a quick run, 200 in the tier, which sets `AGENT_TEST_SHORT` to nothing. */
const KILLS = Number(process.env["AGENT_KILLS"] ?? (process.env["AGENT_TEST_SHORT"] === "" ? "200" : "20"));

// Both at once: most of a cycle is the start of a process.
describe("a store that is killed while it writes", { concurrency: 2 }, () => {
  for (const host of ["inline", "thread"] as const) {
    test(`${KILLS / 2} kills of a process that writes (${host}) lose nothing that was confirmed`, async (t) => {
      const dir = mkdtempSync(join(tmpdir(), "kill-"));
      t.after(() => rmSync(dir, { recursive: true, force: true }));
      const path = join(dir, "kanban.db");
      const random = seeded(KILLS);
      let confirmed: number[] = [];
      for (let round = 0; round < KILLS / 2; round++) {
        const said = await loadAndKill({ path, host, first: 1 + Math.max(0, ...confirmed), lines: random.below(150) });
        confirmed = [...confirmed, ...said];
        const found = await contents(path);
        const missing = confirmed.filter((n) => !found.rows.has(n));
        assert.deepEqual(missing, [], `round ${round}`);
        assert.equal(found.lastSeq, found.rows.size, "each row has its event");
        assert.deepEqual(await plainSqlite(readFileSync(path)), []);
        confirmed = [...found.rows];
      }
      t.diagnostic(`${confirmed.length} rows after ${KILLS / 2} kills`);
    });
  }
});

interface Load {
  readonly path: string;
  readonly host: string;
  readonly first: number;
  /** Confirmations after which the process is killed; fewer while it starts. */
  readonly lines: number;
}

/** Start the writer, kill it when it has confirmed so many rows, and return what it confirmed. */
async function loadAndKill({ path, host, first, lines }: Load): Promise<number[]> {
  const args = [distFile("test/programs/store-load.cjs"), path, host, String(first)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const output = collect(child, lines);
  const code = await new Promise<NodeJS.Signals | number | null>((resolve) => {
    child.on("close", (status, signal) => resolve(signal ?? status));
  });
  assert.equal(code, "SIGKILL", "the writer ended by itself");
  return output
    .join("")
    .split("\n")
    .slice(0, -1)
    .filter((line) => /^\d+$/.test(line))
    .map(Number);
}

function collect(child: ChildProcess, lines: number): string[] {
  const chunks: string[] = [];
  let seen = 0;
  child.stdout?.setEncoding("utf8");
  child.stdout?.on("data", (chunk: string) => {
    chunks.push(chunk);
    seen += chunk.split("\n").length - 1;
    if (seen > lines) child.kill("SIGKILL");
  });
  return chunks;
}

async function contents(path: string): Promise<{ rows: Set<number>; lastSeq: number }> {
  const migrations = [{ to: 1, statements: ["CREATE TABLE loads (n INTEGER PRIMARY KEY, text TEXT NOT NULL)"] }];
  const spec: StoreSpec = { name: "board:load", path, kind: "board", migrations };
  const store = await openStore(spec, { disk: realDisk, clock: systemClock, host: "inline", log: silentLog });
  try {
    const rows = await store.read((q) => q.all<{ n: number }>("SELECT n FROM loads"));
    return { rows: new Set(rows.map((row) => row.n)), lastSeq: await store.lastSeq() };
  } finally {
    await store.close();
  }
}
