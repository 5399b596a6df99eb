import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { BAD_ARCHIVES, GOOD_ARCHIVE, TASK } from "../../../fixtures/corpora/archives.js";
import { kanban } from "../../../fixtures/sim/board-cli.js";
import { setupBoard, USER, type WorldOptions } from "../../../fixtures/sim/board-world.js";
import { rawTarGz } from "../../../fixtures/worlds/tar.js";
import type { BoardSlug, TaskId } from "../../base/units.js";

const A = "a" as BoardSlug; // slugs by their form
const B = "b" as BoardSlug;

async function setup(t: TestContext, options: WorldOptions = {}) {
  const world = setupBoard(t, { real: true, ...options });
  const K = (...argv: string[]) => kanban(world, argv);
  const J = async <T = Record<string, unknown>>(...argv: string[]) => {
    const ran = await K(...argv, "--json");
    assert.equal(ran.code, 0, ran.err + ran.out);
    return ran.json<T>();
  };
  const tree = () =>
    existsSync(join(world.root, "kanban")) ? readdirSync(join(world.root, "kanban"), { recursive: true }).sort() : [];
  const put = (bytes: Buffer) => writeFileSync(join(world.root, "in.tar.gz"), bytes);
  return { world, K, J, tree, put };
}

test("a good archive makes a board that is paused, with all that is in it", async (t) => {
  const { world, K, J, put } = await setup(t);
  put(rawTarGz(GOOD_ARCHIVE));
  const { board, tasks, attachments } = await J<{ board: Record<string, unknown>; tasks: number; attachments: number }>(
    "boards",
    "import",
    "in.tar.gz",
  );
  assert.deepEqual(
    [board["slug"], board["name"], board["paused_reason"], tasks, attachments],
    ["from-afar", "From afar", "imported", 2, 1],
  );
  const view = await world.board.show("from-afar" as BoardSlug, TASK as TaskId);
  assert.deepEqual(
    [view.comments[0]?.text, view.runs[0]?.outcome, view.attachments[0]?.filename],
    ["t", "completed", "a.txt"],
  );
  const places = world.board.places("from-afar" as BoardSlug);
  assert.equal(readFileSync(join(places.attachments, TASK, "a.txt"), "utf8"), "hello");
  assert.match(readFileSync(places.log(TASK as TaskId), "utf8"), /run 1/);
  assert.match((await K("boards", "list")).out, /from-afar .*paused/);
});

for (const { what, change, says } of BAD_ARCHIVES) {
  test(`an archive with ${what} is refused, and nothing of it stays`, async (t) => {
    const { K, tree, put, world } = await setup(t);
    put(rawTarGz(change(GOOD_ARCHIVE)));
    const before = tree();
    const ran = await K("boards", "import", "in.tar.gz", "--json");
    const { error } = ran.json<{ error: { code: string; message: string } }>();
    assert.deepEqual([ran.code, error.code], [1, "E_INVALID"], ran.out);
    assert.match(error.message, says);
    assert.deepEqual(
      tree().filter((name) => name !== "boards"),
      before.filter((name) => name !== "boards"),
    );
    assert.deepEqual(
      readdirSync(world.root).filter((name) => !["kanban", "in.tar.gz"].includes(name)),
      [],
    );
  });
}

const NO_ARCHIVES: readonly { what: string; bytes: Buffer }[] = [
  { what: "nothing", bytes: Buffer.alloc(0) },
  { what: "a text", bytes: Buffer.from("hello") },
  { what: "a tar that is not packed", bytes: gunzipSync(rawTarGz(GOOD_ARCHIVE)) },
  { what: "an archive without its last bytes", bytes: rawTarGz(GOOD_ARCHIVE).subarray(0, -9) },
];

for (const { what, bytes } of NO_ARCHIVES) {
  test(`a file with ${what} is no archive of a board`, async (t) => {
    const { K, put } = await setup(t);
    put(bytes);
    const ran = await K("boards", "import", "in.tar.gz", "--json");
    assert.deepEqual([ran.code, ran.json<{ error: { code: string } }>().error.code], [1, "E_INVALID"]);
  });
}

test("a file that is not there, a taken slug and default are refused by name", async (t) => {
  const { K, put } = await setup(t);
  assert.equal(
    (await K("boards", "import", "nowhere.tar.gz", "--json")).json<{ error: { code: string } }>().error.code,
    "E_NOT_FOUND",
  );
  put(rawTarGz(GOOD_ARCHIVE));
  await K("boards", "create", "from-afar");
  for (const words of [[], ["--as", "default"]]) {
    const ran = await K("boards", "import", "in.tar.gz", ...words, "--json");
    assert.deepEqual([ran.code, ran.json<{ error: { code: string } }>().error.code], [1, "E_CONFLICT"]);
  }
  assert.equal((await K("boards", "import", "in.tar.gz", "--as", "BAD!")).code, 2);
});

/** A board with everything that an archive keeps. */
async function busy(t: TestContext) {
  const all = await setup(t);
  const { world, K } = all;
  await K("boards", "create", "a", "--name", "Alpha", "--icon", "i");
  await K("boards", "set", "a", "--max-in-progress", "3");
  const { board } = world;
  const done = (await board.create(A, { title: "done", body: "b\nb" }, USER)).task.id;
  await board.complete(A, done, { summary: "did it", metadata: { n: 1, deep: { k: "sk-secret" } } }, USER);
  const running = (await board.create(A, { title: "running", skills: ["s"] }, USER)).task.id;
  const claim = await board.claimOutside(A, running, {}, USER);
  const child = (await board.create(A, { title: "child", parents: [running] }, USER)).task.id;
  await board.comment(A, done, "with sk-secret", USER);
  writeFileSync(join(world.root, "file.txt"), "attached");
  await K("--board", "a", "attach", done, "file.txt");
  mkdirSync(board.places(A).logs, { recursive: true });
  writeFileSync(board.places(A).log(done), "a log with sk-secret\n");
  return { ...all, done, running, child, claim };
}

test("what is exported comes back with its ids, and running tasks come back ready", async (t) => {
  const { world, J, done, running, child } = await busy(t);
  const made = await J<{ path: string; tasks: number; attachments: number }>(
    "boards",
    "export",
    "a",
    "-o",
    "out.tar.gz",
    "--logs",
  );
  assert.deepEqual([made.tasks, made.attachments], [3, 1]);
  await J("boards", "import", "out.tar.gz", "--as", "b");
  const { board } = world;
  const settings = await board.board(B);
  assert.deepEqual(
    [settings.name, settings.icon, settings.max_in_progress, settings.paused_reason],
    ["Alpha", "i", 3, "imported"],
  );
  const there = await board.show(B, done);
  const here = await board.show(A, done);
  assert.deepEqual({ ...there.task, updated_at: 0 }, { ...here.task, updated_at: 0 });
  assert.deepEqual(
    there.runs.map(({ id, outcome, summary }) => ({ id, outcome, summary })),
    here.runs.map(({ id, outcome, summary }) => ({ id, outcome, summary })),
  );
  assert.deepEqual(there.attachments, here.attachments);
  const resumed = await board.show(B, running);
  assert.deepEqual(
    [resumed.task.status, resumed.runs[0]?.outcome, resumed.task.consecutive_failures],
    ["ready", "reclaimed", 0],
  );
  assert.equal((await board.task(B, child)).status, "todo");
  assert.equal((await board.task(A, running)).status, "running");
});

test("no token, claim, worker or known secret is in an archive", async (t) => {
  const { world, J, claim } = await busy(t);
  await J("boards", "export", "a", "-o", "out.tar.gz", "--logs");
  const text = gunzipSync(readFileSync(join(world.root, "out.tar.gz"))).toString("utf8");
  assert.ok(text.includes("[secret]"));
  for (const hidden of [
    "sk-secret",
    claim.token,
    "token_sha256",
    "claim_lock",
    "worker_pid",
    "host_id",
    `:${process.pid}"`,
    "subscription",
  ])
    assert.equal(text.includes(hidden), false, hidden);
});

test("logs are in it only when they are asked for", async (t) => {
  const { world, J } = await busy(t);
  await J("boards", "export", "a", "-o", "out.tar.gz");
  assert.equal(gunzipSync(readFileSync(join(world.root, "out.tar.gz"))).includes("logs/"), false);
});

test("an attachment whose file is gone is left out and told", async (t) => {
  const { world, K } = await busy(t);
  rmSync(world.board.places(A).attachments, { recursive: true });
  const ran = await K("boards", "export", "a", "-o", "out.tar.gz");
  assert.equal(ran.code, 0);
  assert.match(ran.err, /attachment 1 \(file.txt\) of t_\w+ skipped: its file is missing/);
  assert.equal((await K("boards", "import", "out.tar.gz", "--as", "b")).code, 0);
});

test("an export goes to the named file, into a named directory, and nowhere else when it fails", async (t) => {
  const { world, K, J } = await busy(t);
  mkdirSync(join(world.root, "dir"));
  const made = await J<{ path: string }>("boards", "export", "a", "-o", "dir");
  assert.match(made.path, /\/dir\/a-\d{8}-\d{6}\.tar\.gz$/);
  const failed = await K("boards", "export", "a", "-o", "nowhere/x.tar.gz", "--json");
  assert.deepEqual([failed.code, failed.json<{ error: { code: string } }>().error.code], [1, "E_INVALID"]);
  assert.deepEqual(readdirSync(join(world.root, "kanban", "boards")), ["a"]);
  assert.equal((await K("boards", "export", "nope")).code, 1);
});

test("default is exported before it has a store, and comes in under another slug", async (t) => {
  const { K, J } = await setup(t);
  assert.equal((await J<{ tasks: number }>("boards", "export", "default", "-o", "d.tar.gz"))["tasks"], 0);
  assert.equal((await K("boards", "import", "d.tar.gz")).code, 1);
  assert.equal((await K("boards", "import", "d.tar.gz", "--as", "b")).code, 0);
});
