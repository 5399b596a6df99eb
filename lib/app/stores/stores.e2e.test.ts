import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { start } from "../../../fixtures/e2e/process.js";
import { world } from "../../../fixtures/e2e/world.js";
import { openFileStore } from "../../../storage/file/open.js";
import { boardMigrations } from "../../../storage/schema/board.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import { openStore } from "../../../storage/sqljs/store-open.js";
import { realDisk } from "../../base/fs/disk.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import { systemClock } from "../../base/time/clock.js";

const mayMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"]).status === 0;

/** A small file system of its own, filled between two creates and emptied before the third. */
const FULL = `
mount -t tmpfs -o size=2m,mode=700 tmpfs "$AGENT_HOME"
run() { name=$1; shift; "$NODE" "$AGENT" "$@" --json > "$name.json" 2> "$name.err"; echo $? > "$name.code"; }
run one kanban create one --external
dd if=/dev/zero of="$AGENT_HOME/filler" bs=4096 2> /dev/null
n=0; : > told
while [ $n -lt 30 ]; do
  n=$((n + 1)); run two kanban create "full $n" --external
  [ "$(cat two.code)" = 0 ] || break
  echo "full $n" >> told
done
run list kanban list
rm "$AGENT_HOME/filler"
run three kanban create three --external
run after kanban list
`;

test("a full disk is reported with exit 1, loses nothing, and is forgotten when there is room again", {
  skip: mayMount ? false : "mounting is not permitted",
}, async (t) => {
  const made = await world(t);
  const env = { ...made.env, NODE: process.execPath, AGENT: made.program };
  await start("unshare", ["-m", "sh", "-c", FULL], { env, cwd: made.work }).ended;
  const told = (name: string) => ({
    code: readFileSync(join(made.work, `${name}.code`), "utf8").trim(),
    value: JSON.parse(readFileSync(join(made.work, `${name}.json`), "utf8")),
  });
  const titles = (name: string) => told(name).value.map(({ title }: { title: string }) => title);
  assert.equal(told("one").code, "0");
  assert.deepEqual([told("two").code, told("two").value.error?.code], ["1", "E_STORE_FULL"]);
  // The last block of a file may still take a few.
  const kept = ["one", ...readFileSync(join(made.work, "told"), "utf8").split("\n").filter(Boolean)];
  assert.deepEqual(new Set(titles("list")), new Set(kept));
  assert.equal(told("three").code, "0");
  assert.deepEqual(new Set(titles("after")), new Set([...kept, "three"]));
});

test("a board of a newer version is refused by name and left as it is", async (t) => {
  const made = await world(t);
  await made.json("kanban", "create", "one", "--external");
  const path = join(made.home.dir, "kanban.db");
  const next = { to: (boardMigrations.at(-1)?.to ?? 0) + 1, statements: ["CREATE TABLE of_tomorrow (id INTEGER)"] };
  const spec = { name: "board:default", path, kind: "board", migrations: [...boardMigrations, next] } as const;
  const ports = { disk: realDisk, clock: systemClock, ids: randomIds, log: silentLog, host: "inline" } as const;
  await (await openStore(spec, ports)).close();
  const before = readFileSync(path);
  for (const words of [
    ["kanban", "list"],
    ["kanban", "create", "two", "--external"],
  ]) {
    const { code, out, err } = await made.run([...words, "--json"]);
    assert.deepEqual([code, err, JSON.parse(out).error.code], [1, "", "E_STORE"]);
    assert.match(JSON.parse(out).error.message, /newer/);
  }
  assert.deepEqual(readFileSync(path), before);
});

test("a folder in place of a board's file or journal is reported as such, and nothing is made again", async (t) => {
  const made = await world(t);
  await made.json("kanban", "create", "one", "--external");
  for (const name of ["kanban.db", "kanban.db.log-1"]) {
    const path = join(made.home.dir, name);
    const bytes = readFileSync(path);
    rmSync(path);
    mkdirSync(path);
    for (const words of [
      ["kanban", "list"],
      ["kanban", "create", "two", "--external"],
    ]) {
      const { code, out, err } = await made.run([...words, "--json"]);
      const { error } = JSON.parse(out);
      assert.deepEqual([code, err, error.code], [1, "", "E_STORE"]);
      assert.match(error.message, /.*kanban\.db/);
    }
    assert.deepEqual(readdirSync(path), []);
    rmdirSync(path);
    writeFileSync(path, bytes);
  }
  assert.equal((await made.json<unknown[]>("kanban", "list")).length, 1);
});

test("a session store of a newer version is refused with both numbers and left as it is", async (t) => {
  const made = await world(t);
  await made.json("kanban", "create", "one", "--external");
  assert.equal((await made.run(["-z", "hi"])).code, 0);
  const known = sessionMigrations.at(-1)?.to ?? 0;
  const next = { to: known + 1, statements: ["CREATE TABLE of_tomorrow (id INTEGER)"] };
  const spec = {
    name: "sessions",
    path: made.home.sessions,
    kind: "sessions",
    migrations: [...sessionMigrations, next],
  } as const;
  const future = openFileStore(spec, { clock: systemClock, log: silentLog, host: "inline" });
  await future.ready();
  await future.close();
  const before = readFileSync(made.home.sessions);
  for (const words of [
    ["sessions", "list"],
    ["-z", "again"],
  ]) {
    const { code, out, err } = await made.run([...words, "--json"]);
    const { error } = JSON.parse(out.trim().split("\n").at(-1) ?? "");
    assert.deepEqual([code, err, error.code], [1, "", "E_STORE"]);
    assert.match(error.message, new RegExp(`schema ${known + 1}, this version supports ${known}`));
  }
  assert.deepEqual(readFileSync(made.home.sessions), before);
  assert.equal((await made.json<unknown[]>("kanban", "list")).length, 1);
});

test("a session store with a flipped page is told by doctor, and no command makes it again or ends without a word", async (t) => {
  const made = await world(t);
  for (const text of ["one", "two"]) assert.equal((await made.run(["-z", `${text} ${"x".repeat(3000)}`])).code, 0);
  const good = readFileSync(made.home.sessions);
  let told = 0;
  for (let page = 1; page * 4096 < good.length; page += 5) {
    const bad = Buffer.from(good);
    bad.fill(0xa5, page * 4096, page * 4096 + 512);
    writeFileSync(made.home.sessions, bad);
    const doctor = await made.run(["doctor", "--deep", "--json"]);
    if (doctor.code !== 0) told += 1;
    const { code, out } = await made.run(["sessions", "list", "--json"]);
    if (code !== 0) assert.deepEqual([page, code, JSON.parse(out).error.code], [page, 1, "E_STORE"]);
    assert.equal(readFileSync(made.home.sessions).length, good.length);
  }
  assert.ok(told > 2, `${told} were told`);
  writeFileSync(made.home.sessions, good);
  assert.equal((await made.json<unknown[]>("sessions", "list")).length, 2);
});
