import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { proves } from "../../../fixtures/requirements.js";
import { olderBoard } from "../../../fixtures/sim/older-board.js";
import { boardPlaces } from "../../board/core/places.js";

test("an older board is taken over with a copy of it kept, and what ran on it was lost with its owner", async (t) => {
  proves(t, "board.migrates");
  const { home, J, D, told, show } = await kanbanWorld(t);
  const before = await olderBoard(join(home.root, "kanban.db"));
  const listed = await J<{ id: string; status: string }[]>("list");
  assert.deepEqual(new Map(listed.map((task) => [task.id, task.status])).get("t_00000002"), "blocked");
  assert.deepEqual(readFileSync(join(home.root, "kanban.db")), before, "looking changed it");
  await D();
  await told("t_00000001", 2);
  const { runs, events } = await show("t_00000001");
  assert.deepEqual(
    runs.map((run) => [run.outcome, run.end_reason]),
    [
      ["reclaimed", "lost_with_owner"],
      [null, null],
    ],
  );
  assert.equal(events[0]?.kind, "promoted");
  const [copy] = readdirSync(join(home.root, "state-snapshots"));
  assert.deepEqual(readFileSync(join(home.root, "state-snapshots", copy ?? "")), before);
});

test("a takeover that is cut off after its copy is made again at the next start", async (t) => {
  const { home, Kwith, J } = await kanbanWorld(t, { faults: true });
  await olderBoard(join(home.root, "kanban.db"));
  const cut = await Kwith({ env: { AGENT_FAULT: "store.migrate.backed-up:1" } }, "create", "one");
  assert.equal(cut.code, 128);
  await J("create", "two");
  const titles = (await J<{ title: string }[]>("list")).map((task) => task.title);
  assert.deepEqual(new Set(titles), new Set(["failed", "review", "running", "two"]));
});

/** Ways in which the store of a board cannot be used; `bad` is its directory. */
const DAMAGES: readonly { what: string; make: (dir: string) => void }[] = [
  {
    what: "garbage in place of its copies",
    make: (dir) => {
      for (const name of readdirSync(dir))
        if (/\.db(\.prev)?$/.test(name)) writeFileSync(join(dir, name), "garbage".repeat(3000));
    },
  },
  {
    what: "a journal that is damaged before a frame that is good",
    make: (dir) => {
      for (const name of readdirSync(dir).filter((one) => one.includes(".log-"))) {
        const bytes = readFileSync(join(dir, name));
        bytes.writeUInt8((bytes[bytes.length >> 1] ?? 0) ^ 0xff, bytes.length >> 1);
        writeFileSync(join(dir, name), bytes);
      }
    },
  },
];

for (const { what, make } of DAMAGES) {
  test(`a board with ${what} answers E_STORE, keeps its files, and the others are worked on (check 103)`, async (t) => {
    const {
      K,
      refused,
      D,
      home,
      told,
      make: create,
      J,
    } = await kanbanWorld(t, { kanban: { dispatch_interval_seconds: 1 } });
    await K("boards", "create", "bad");
    await create("lost", "--board", "bad", "--external");
    await K("--board", "bad", "comment", (await J<{ id: string }[]>("--board", "bad", "list"))[0]?.id ?? "", "x");
    const dir = dirname(boardPlaces(home.root, "bad").store);
    make(dir);
    const files = () =>
      Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name)).toString("base64")]));
    const before = files();
    for (const words of [["list"], ["create", "more"], ["show", "t_00000001"], ["boards", "pause", "bad"]]) {
      const found = await refused("--board", "bad", ...words);
      assert.deepEqual([found.exit, found.code], [1, "E_STORE"], words.join(" "));
      assert.match(found.message, /kanban\.db/);
    }
    const human = await K("--board", "bad", "list");
    assert.deepEqual([human.code, human.out], [1, ""]);
    assert.match(human.err, /^kanban: /);
    await D();
    const id = await create("other");
    await told(id);
    for (let pass = 0; pass < 3; pass++) await J("dispatch");
    assert.equal((await refused("--board", "bad", "list")).code, "E_STORE");
    assert.deepEqual(files(), before);
    const said = readFileSync(join(home.logs, "agent.log"), "utf8").split("\n");
    assert.equal(said.filter((line) => line.includes("cannot process a board")).length, 1);
    assert.match((await K("boards", "list")).out, /bad .*cannot be opened/);
  });
}

test("a damaged board is worked on again as soon as its files are back", async (t) => {
  const world = await kanbanWorld(t, { kanban: { dispatch_interval_seconds: 1 } });
  const { K, D, home, told, make: create, J, dump } = world;
  await K("boards", "create", "bad");
  const id = await create("one", "--board", "bad");
  const store = boardPlaces(home.root, "bad").store;
  assert.equal(existsSync(`${store}.prev`), false, "the board can be opened with one file alone");
  const good = join(dump, "good");
  renameSync(store, good);
  writeFileSync(store, "garbage");
  await D();
  assert.equal((await K("--board", "bad", "list")).code, 1);
  await J("dispatch");
  renameSync(good, store); // in one step: the owner looks at it again and again
  await told(id);
});

test("a directory in the place of a store is reported, and stays", async (t) => {
  const { refused, home } = await kanbanWorld(t);
  mkdirSync(join(home.root, "kanban.db"));
  const found = await refused("list");
  assert.deepEqual([found.exit, found.code], [1, "E_STORE"]);
});
