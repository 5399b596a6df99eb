import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { bundleProgram, type Program } from "../../fixtures/worlds/program.js";
import { configOf } from "../../fixtures/worlds/tool-context.js";
import { randomIds } from "../base/ids.js";
import { silentLog } from "../base/log/log.js";
import { systemSpawner } from "../base/process/spawn-system.js";
import { systemClock } from "../base/time/clock.js";
import type { MemoryApi } from "../contracts/memory/memory.js";
import { createMemory } from "./memory.js";

const PROGRAM = `
import { randomIds } from "./lib/base/ids.js";
import { silentLog } from "./lib/base/log/log.js";
import { systemSpawner } from "./lib/base/process/spawn-system.js";
import { systemClock } from "./lib/base/time/clock.js";
import { createMemory } from "./lib/memory/memory.js";
const [dir, cwd, ...words] = process.argv.slice(2);
const config = { get: (key) => (key.key === "memory.memory_char_limit" ? 100000 : key.default) };
const memory = createMemory({ home: { dir }, config, clock: systemClock, ids: randomIds, spawner: systemSpawner, log: silentLog });
const author = { source: { kind: "turn", session: "s", turn: "s:1", by: "user" }, untrusted: false };
(async () => {
  for (const word of words) {
    const done = await memory.change(JSON.parse(word), { cwd, env: {} }, author);
    if (done.done === "nothing") { console.error(done.message); process.exit(1); }
  }
})();
`;

let program: Program;
before(async () => {
  program = await bundleProgram({ code: PROGRAM });
});
after(() => program.remove());

interface World {
  readonly home: string;
  readonly memory: MemoryApi;
  /** Run changes in a process of its own; answers the signal that ended it. */
  run(changes: readonly object[], fault?: string): Promise<string | number | null>;
  texts(): Promise<readonly string[]>;
}

function world(t: TestContext): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "memory-crash-")));
  const home = join(root, "home");
  const work = join(root, "work");
  for (const dir of [home, work]) mkdirSync(dir);
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const memory = createMemory({
    home: { dir: home },
    config: configOf({ "memory.memory_char_limit": 100_000 }),
    clock: systemClock,
    ids: randomIds,
    spawner: systemSpawner,
    log: silentLog,
  });
  return {
    home,
    memory,
    run: (changes, fault) =>
      new Promise((resolve, reject) => {
        const env = { ...process.env, ...(fault === undefined ? {} : { AGENT_FAULT: fault }) };
        const child = spawn(
          process.execPath,
          [program.file, home, work, ...changes.map((one) => JSON.stringify(one))],
          {
            env,
            stdio: ["ignore", "ignore", "inherit"],
          },
        );
        child.once("error", reject);
        child.once("exit", (code, signal) => resolve(signal ?? code));
      }),
    texts: async () => (await memory.read("memory", { cwd: work, env: {} })).flatMap(({ entries }) => entries),
  };
}

const base = { target: "memory", scope: "user" } as const;
const FIRST = { action: "add", ...base, content: "Alpha is deployed on Mondays." };
const CHANGES = [
  { action: "add", ...base, content: "Beta wants Node 20." },
  { action: "replace", target: "memory", which: "Mondays", content: "Alpha is deployed on Fridays." },
  { action: "remove", target: "memory", which: "Mondays" },
] as const;
const AFTER = [
  ["Alpha is deployed on Mondays.", "Beta wants Node 20."],
  ["Alpha is deployed on Fridays."],
  [],
] as const;
/** The records of both states, the file, the records of the new one. The last entry's file is removed, not written. */
const STEPS = ["file.drafted/.entries.json:1", "file.drafted/MEMORY.md:1", "file.drafted/.entries.json:2"] as const;

for (const [index, change] of CHANGES.entries())
  for (const step of STEPS.filter((one) => change.action !== "remove" || !one.includes("MEMORY")))
    test(`a process that is killed at ${step} while it does ${change.action} leaves the old memory or the new one, with its sources`, async (t) => {
      const { home, memory, run, texts } = world(t);
      assert.equal(await run([FIRST]), 0);
      assert.equal(await run([change], step), "SIGKILL");
      const left = await texts();
      const states: readonly (readonly string[])[] = [[FIRST.content], AFTER[index] ?? []];
      assert.ok(
        states.some((state) => JSON.stringify(state) === JSON.stringify(left)),
        JSON.stringify(left),
      );
      for (const entry of await memory.all()) assert.equal(entry.source.turn, "s:1");
      // The next one takes the lock of the dead over, and goes on from there.
      assert.equal(await run([{ action: "add", ...base, content: "Gamma has its own queue." }]), 0);
      assert.deepEqual(await texts(), [...left, "Gamma has its own queue."]);
      const records = JSON.parse(readFileSync(join(home, "memories", ".entries.json"), "utf8"));
      assert.equal(records.entries.length, left.length + 1, "records without an entry are gone");
    });

test("two processes that write at the same time lose nothing of each other", async (t) => {
  const { run, texts } = world(t);
  const facts = (who: string) =>
    ["amber", "birch", "cedar", "daisy", "elder", "fern", "grass", "hazel"].map((word) => ({
      action: "add",
      ...base,
      content: `${who}${word} ${word}${who}`,
    }));
  assert.deepEqual(await Promise.all([run(facts("one")), run(facts("two"))]), [0, 0]);
  assert.equal((await texts()).length, 16);
});
