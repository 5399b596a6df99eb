import assert from "node:assert/strict";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { prepareHome, restoreHome, STORES } from "../../../fixtures/e2e/failed-starts.js";
import { world } from "../../../fixtures/e2e/world.js";

const SHORT = process.env["AGENT_TEST_SHORT"] === "1";
const DAMAGES = ["damaged", "missing", "without its checkpoint"] as const;

/** The command that reads the store, and the doctor of the board beside it. */
const READERS: Readonly<Record<(typeof STORES)[number], readonly (readonly string[])[]>> = {
  "state.db": [
    ["cron", "list"],
    ["gateway", "status"],
    ["kanban", "doctor"],
  ],
  "sessions.db": [
    ["sessions", "list"],
    ["kanban", "doctor"],
  ],
  "kanban.db": [
    ["kanban", "list"],
    ["kanban", "doctor"],
  ],
  "kanban/boards/two/kanban.db": [
    ["kanban", "--board", "two", "list"],
    ["kanban", "--board", "two", "doctor"],
  ],
};

function harm(path: string, how: (typeof DAMAGES)[number]): void {
  if (how === "damaged") writeFileSync(path, Buffer.alloc(4096, 0x5a));
  else if (how === "missing") rmSync(path);
  else if (path.endsWith("sessions.db")) truncateSync(path, 5000);
  else for (const name of [".current", ".prev"]) rmSync(`${path}${name}`);
}

test("each store that is damaged, missing or without its checkpoint is named by its readers, both doctors and the start of the gateway", async (t) => {
  const made = await world(t);
  const kept = await prepareHome(made);
  for (const [at, store] of STORES.entries())
    for (const how of SHORT ? [DAMAGES[at % 3] ?? "damaged"] : DAMAGES) {
      restoreHome(made, kept);
      const path = join(made.home.dir, store);
      harm(path, how);
      for (const words of [...READERS[store], ["doctor"], ["gateway", "start"]]) {
        const { out, err } = await made.run(words);
        const said = `${out}${err}`.split("\n").filter((line) => line.includes(path));
        assert.match(said.join("\n"), /is missing|is damaged/, `${store} ${how}: ${words.join(" ")} says ${out}${err}`);
      }
      await made.run(["gateway", "stop"]);
      await made.alone();
    }
});

test("a board of which only the journal is left is named by every command that reads or writes it", async (t) => {
  const { home, run } = await world(t);
  assert.equal((await run(["kanban", "create", "x", "--external"])).code, 0);
  for (const name of ["kanban.db", "kanban.db.current", "kanban.db.prev"])
    rmSync(join(home.dir, name), { force: true });
  const readers = [
    "list",
    "next",
    "stats",
    "show t_0123",
    "boards list",
    "diagnostics",
    "doctor",
    "dispatch",
    "create y --external",
  ];
  for (const words of [...readers.map((one) => ["kanban", ...one.split(" ")]), ["doctor"]]) {
    const { out, err } = await run(words);
    assert.match(
      `${out}${err}`,
      /kanban\.db\.log-\d+ has changes, but .*kanban\.db\.current is missing/,
      words.join(" "),
    );
  }
});
