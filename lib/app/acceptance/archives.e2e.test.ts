import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BAD_ARCHIVES, GOOD_ARCHIVE } from "../../../fixtures/corpora/archives.js";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { rawTarGz } from "../../../fixtures/worlds/tar.js";
import type { ListedBoard } from "../../contracts/board/api.js";

test("a board is exported while its workers work, and comes in on another home, paused, with its running tasks ready", async (t) => {
  const here = await kanbanWorld(t, { kanban: { max_in_progress: 2 } });
  const there = await kanbanWorld(t);
  await here.K("boards", "create", "src", "--name", "Source");
  await here.D();
  const running = await here.make("running", "--board", "src");
  const { pid } = await here.told(running);
  writeFileSync(join(here.work, "file.txt"), "attached");
  await here.K("--board", "src", "attach", running, "file.txt");
  const busy = Array.from({ length: 12 }, (_, n) => here.K("--board", "src", "create", `more ${n}`, "--external"));
  const file = join(here.work, "src.tar.gz");
  const made = await here.J<{ path: string; tasks: number; attachments: number }>(
    "boards",
    "export",
    "src",
    "-o",
    file,
    "--logs",
  );
  for (const { code, err } of await Promise.all(busy)) assert.equal(code, 0, err);
  assert.ok(made.tasks >= 1 && made.tasks <= 13 && made.attachments === 1);
  assert.equal((await here.J<{ status: string }[]>("--board", "src", "list", "--status", "running")).length, 1);
  assert.ok(here.processes().includes(pid));

  await there.D();
  const { board } = await there.J<{ board: ListedBoard }>("boards", "import", file);
  assert.deepEqual(
    [board.slug, board.name, board.paused_reason, board.total],
    ["src", "Source", "imported", made.tasks],
  );
  const listed = await there.J<{ id: string; status: string }[]>("--board", "src", "list");
  assert.equal(listed.find((task) => task.id === running)?.status, "ready");
  assert.deepEqual((await there.J<{ spawned: unknown[] }>("dispatch")).spawned, []);
  await there.K("boards", "resume", "src");
  await there.told(running, 2);
});

test("an import into a running owner that is refused leaves no trace, and the owner works on", async (t) => {
  const { K, refused, D, home, work, make, told } = await kanbanWorld(t);
  await D();
  for (const bad of BAD_ARCHIVES.filter((_, n) => n % 16 === 0)) {
    writeFileSync(join(work, "bad.tar.gz"), rawTarGz(bad.change(GOOD_ARCHIVE)));
    const found = await refused("boards", "import", "bad.tar.gz");
    assert.deepEqual([found.exit, found.code], [1, "E_INVALID"], bad.what);
    assert.match(found.message, bad.says);
  }
  const boards = join(home.root, "kanban", "boards");
  assert.deepEqual(existsSync(boards) ? readdirSync(boards) : [], []);
  assert.deepEqual((await K("boards", "list")).out.trim().split("\n").length, 2);
  await told(await make("one"));
});

for (const at of ["directory.moving:1", "directory.moved:1"]) {
  test(`killed at ${at} of an import there is the whole board or none`, async (t) => {
    const { Kwith, K, J, home, work } = await kanbanWorld(t, { faults: true });
    writeFileSync(join(work, "good.tar.gz"), rawTarGz(GOOD_ARCHIVE));
    assert.equal((await Kwith({ env: { AGENT_FAULT: at } }, "boards", "import", "good.tar.gz")).code, 128);
    const boards = (await J<ListedBoard[]>("boards", "list")).filter((board) => board.slug === "from-afar");
    assert.deepEqual(
      boards.map((board) => [board.total, board.paused_reason]),
      at === "directory.moved:1" ? [[2, "imported"]] : [],
    );
    const again = await K("boards", "import", "good.tar.gz", "--as", "again");
    assert.equal(again.code, 0, again.err);
    const left = readdirSync(join(home.root, "kanban", "boards")).filter((name) => name.startsWith("."));
    assert.deepEqual(left, []);
  });
}

test("an export that is killed leaves no file that could be taken for one", async (t) => {
  const { Kwith, K, work, home } = await kanbanWorld(t, { faults: true });
  await K("boards", "create", "src");
  await K("--board", "src", "create", "one");
  const { code } = await Kwith(
    { env: { AGENT_FAULT: "store.checkpoint.written:1" } },
    "boards",
    "export",
    "src",
    "-o",
    "out.tar.gz",
  );
  assert.equal(code, 128);
  assert.deepEqual(
    readdirSync(work).filter((name) => name.endsWith(".tar.gz")),
    [],
  );
  assert.equal((await K("boards", "export", "src", "-o", "out.tar.gz")).code, 0);
  assert.deepEqual(readdirSync(join(home.root, "kanban", "boards")), ["src"]);
});
