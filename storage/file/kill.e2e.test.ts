import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { distFile } from "../../lib/base/fs/dist.js";
import { layOutHome } from "../../lib/base/home.js";
import { silentLog } from "../../lib/base/log/log.js";
import { systemClock } from "../../lib/base/time/clock.js";
import { sessionMigrations } from "../schema/sessions.js";
import type { Row } from "../store.js";
import { type FileStore, openFileStore } from "./open.js";

const KILLS = Number(process.env["AGENT_KILLS"] ?? 20);

/** What the killed processes were told, all rounds together. */
interface Told {
  readonly stored: Map<string, string>;
  readonly deleting: Set<string>;
  readonly deleted: Map<string, string>;
}

/** Small seeded generator: a failing run is repeated by its round number. */
const draw = (seed: number, below: number) =>
  Math.floor((((Math.imul(seed + 1, 0x9e3779b1) ^ (seed << 7)) >>> 0) / 2 ** 32) * below);

async function oneRound(t: TestContext, dir: string, round: number, told: Told): Promise<void> {
  const host = round % 2 === 0 ? "inline" : "thread";
  const child = spawn(process.execPath, [distFile("test/programs/session-load.cjs"), dir, host, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const exited = once(child, "exit");
  await hearUntilKilled(child, 20 + draw(round, 160), told);
  const [code, signal] = await exited;
  assert.equal(signal, "SIGKILL", `round ${round} ended by itself with ${String(code)}`);
}

/** Every line that came through before the end counts, also those after the kill was sent. */
async function hearUntilKilled(child: ChildProcess, lines: number, told: Told): Promise<void> {
  assert.ok(child.stdout);
  let heard = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    heard += 1;
    if (heard === lines) child.kill("SIGKILL");
    note(line, told);
  }
}

function note(line: string, told: Told): void {
  if (!line.endsWith("}")) return; // cut off by the kill
  const said: Record<string, string> = JSON.parse(line);
  if (said["stored"] && said["session"]) told.stored.set(said["stored"], said["session"]);
  if (said["deleting"]) told.deleting.add(said["deleting"]);
  if (said["deleted"] && said["word"]) told.deleted.set(said["deleted"], said["word"]);
}

function openStore(dir: string): FileStore {
  const spec = {
    name: "sessions",
    path: layOutHome(dir).sessions,
    kind: "sessions",
    migrations: sessionMigrations,
  } as const;
  return openFileStore(spec, { host: "inline", clock: systemClock, log: silentLog });
}

async function checkAll(dir: string, told: Told, round: number): Promise<void> {
  const store = openStore(dir);
  try {
    assert.deepEqual(await store.check(), [], `round ${round}`);
    const rows = await store.read((q) =>
      q.all("SELECT id, session_id, ordinal, role, content, tool_call_id, tool_calls, turn_id FROM messages"),
    );
    nothingForgotten(rows, told, round);
    placesAreKept(rows, round);
    await indexEqualsTable(store, rows, round);
    deletedIsGone(dir, rows, told, round);
    await store.script("sound", [
      { sql: "INSERT INTO message_index (message_index) VALUES ('integrity-check')", args: [] },
    ]);
  } finally {
    await store.close();
  }
}

function nothingForgotten(rows: readonly Row[], told: Told, round: number): void {
  const contents = new Set(rows.map((row) => row["content"]));
  for (const [word, session] of told.stored) {
    if (!told.deleting.has(session)) assert.ok(contents.has(word), `round ${round}: ${word} was confirmed and is gone`);
  }
}

/** A result stands behind the message with its call, in the order of the calls, and there is one at most. */
function placesAreKept(rows: readonly Row[], round: number): void {
  for (const row of rows.filter((one) => one["role"] === "tool")) {
    const asked = rows.find((one) => one["turn_id"] === row["turn_id"] && one["tool_calls"] !== null);
    const number = Number(String(row["tool_call_id"]).slice(1));
    assert.equal(row["ordinal"], Number(asked?.["ordinal"]) + number, `round ${round}: ${String(row["content"])}`);
  }
}

async function indexEqualsTable(store: FileStore, rows: readonly Row[], round: number): Promise<void> {
  const indexed = await store.read((q) => q.get("SELECT count(*) AS n FROM message_index_docsize"));
  assert.equal(indexed?.["n"], rows.length, `round ${round}`);
  for (const row of rows.filter((one) => String(one["content"]).startsWith("w")).slice(-40)) {
    const found = await store.read((q) =>
      q.all("SELECT rowid AS id FROM message_index WHERE message_index MATCH ?", [`"${String(row["content"])}"`]),
    );
    assert.deepEqual(found, [{ id: row["id"] }], `round ${round}: ${String(row["content"])}`);
  }
}

function deletedIsGone(dir: string, rows: readonly Row[], told: Told, round: number): void {
  const bytes = readdirSync(dir)
    .filter((name) => name.startsWith("sessions.db"))
    .map((name) => readFileSync(join(dir, name), "latin1"));
  for (const [session, word] of told.deleted) {
    assert.ok(
      !rows.some((row) => row["session_id"] === session),
      `round ${round}: ${session} was deleted and is there`,
    );
    assert.ok(
      !bytes.some((text) => text.includes(`${word}user`)),
      `round ${round}: ${word} was deleted and is in a file`,
    );
  }
}

test(`killed ${KILLS} times at any moment, the session store forgets nothing it confirmed and stays whole`, async (t) => {
  proves(t, "R1");
  const dir = mkdtempSync(join(tmpdir(), "session-kill-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const told: Told = { stored: new Map(), deleting: new Set(), deleted: new Map() };
  for (let round = 0; round < KILLS; round++) {
    await oneRound(t, dir, round, told);
    await checkAll(dir, told, round);
  }
  assert.ok(told.stored.size > KILLS, "something was stored in every round");
  assert.ok(told.deleted.size > 0, "something was deleted");
});
