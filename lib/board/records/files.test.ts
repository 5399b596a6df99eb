import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../base/units.js";

function setup(t: TestContext, settings: Readonly<Record<string, unknown>> = {}) {
  const world = setupBoard(t, { settings });
  const { board, root } = world;
  const file = (name: string, text: string) => {
    mkdirSync(join(root, "in"), { recursive: true });
    writeFileSync(join(root, "in", name), text);
    return { path: join(root, "in", name) };
  };
  const make = async (title: string, more: object = {}): Promise<TaskId> =>
    (await board.create(DEFAULT, { title, ...more }, USER)).task.id;
  const stored = (id: TaskId) => {
    const dir = join(root, "kanban/attachments", id);
    return existsSync(dir) ? readdirSync(dir).sort() : [];
  };
  return { ...world, file, make, stored };
}

test("an attached file is kept with its name, size and digest, and served by its id", async (t) => {
  const { board, file, make } = setup(t);
  const id = await make("one");
  const { attachments } = await board.attach(DEFAULT, id, [file("notes.md", "# hi")], USER);
  const [made] = attachments;
  const sha256 = createHash("sha256").update("# hi").digest("hex");
  assert.deepEqual(
    [made?.filename, made?.size, made?.sha256, made?.content_type],
    ["notes.md", 4, sha256, "text/markdown"],
  );
  assert.deepEqual([made?.uploaded_by, made?.run_id, made?.stored_path], ["user", null, `${id}/notes.md`]);
  const served = await board.attachment(DEFAULT, made?.id ?? 0);
  assert.equal(readFileSync(served.path, "utf8"), "# hi");
  const event = (await board.show(DEFAULT, id)).events.at(-1);
  assert.deepEqual(
    [event?.kind, event?.payload],
    ["attached", { id: made?.id, filename: "notes.md", size: 4, by: "user" }],
  );
});

test("a name that is taken gets a number before its whole ending", async (t) => {
  const { board, file, make, stored } = setup(t);
  const id = await make("one");
  for (const name of ["a.tar.gz", "a.tar.gz", "b.txt", "b.txt", "b.txt"])
    await board.attach(DEFAULT, id, [file(name, name)], USER);
  assert.deepEqual(stored(id), ["a (1).tar.gz", "a.tar.gz", "b (1).txt", "b (2).txt", "b.txt"]);
});

const NAMES: readonly [string, string][] = [
  ["../../etc/passwd", "passwd"],
  ["..\\..\\boot.ini", "boot.ini"],
  ["...hidden", "hidden"],
  ["a\u0000b\u001b[31m.txt", "ab[31m.txt"],
  [`${"é".repeat(300)}.txt`, `${"é".repeat(118)}.txt`],
  [`${"x".repeat(300)}.tar.zst`, `${"x".repeat(192)}.tar.zst`],
  ["..", "file"],
];

for (const [given, kept] of NAMES) {
  test(`a file called ${JSON.stringify(given.slice(0, 20))} is kept under a name that leads nowhere`, async (t) => {
    const { board, file, make, stored } = setup(t);
    const id = await make("one");
    await board.attach(DEFAULT, id, [{ ...file("x", "x"), filename: given }], USER);
    assert.deepEqual(stored(id), [kept]);
  });
}

test("files over the size of one or of the board are refused together with their companions, and nothing stays", async (t) => {
  const { board, file, make, stored } = setup(t, {
    "kanban.attachment_max_bytes": 10,
    "kanban.attachments_board_max_bytes": 15,
  });
  const id = await make("one");
  const small = file("small", "12345678");
  const large = file("large", "12345678901");
  await assert.rejects(board.attach(DEFAULT, id, [small, large], USER), {
    code: "E_TOO_LARGE",
    message: /large is too large: 11 bytes/,
  });
  await assert.rejects(board.attach(DEFAULT, id, [small, small], USER), {
    code: "E_TOO_LARGE",
    message: /board would exceed 15/,
  });
  assert.deepEqual([stored(id), await board.attachments(DEFAULT, id)], [[], []]);
  await board.attach(DEFAULT, id, [small], USER);
});

test("what is no file is named, and nothing is attached", async (t) => {
  const { board, file, make, root } = setup(t);
  const id = await make("one");
  await assert.rejects(
    board.attach(DEFAULT, id, [file("a", "a"), { path: join(root, "gone") }, { path: root }], USER),
    {
      code: "E_INVALID",
      message: new RegExp(`${join(root, "gone")}, ${root}$`),
    },
  );
  await assert.rejects(board.attach(DEFAULT, "t_00000000" as TaskId, [file("a", "a")], USER), { code: "E_NOT_FOUND" });
  assert.deepEqual(await board.attachments(DEFAULT, id), []);
});

test("a stored path that leads out of the attachments folder is served to no one", async (t) => {
  const { board, file, make, root, store } = setup(t);
  const id = await make("one");
  const made = (await board.attach(DEFAULT, id, [file("a.txt", "a"), file("b.txt", "b")], USER)).attachments;
  writeFileSync(join(root, "secret"), "s");
  const [first = 0, second = 0] = made.map((one) => one.id);
  await (await store()).write("test.path", (tx) =>
    tx.run("UPDATE attachments SET stored_path = '../../secret' WHERE id = ?", [first]),
  );
  symlinkSync(join(root, "secret"), join(root, "kanban/attachments", id, "link"));
  const linked = `UPDATE attachments SET stored_path = '${id}/link' WHERE id = ?`;
  await (await store()).write("test.path", (tx) => tx.run(linked, [second]));
  for (const one of [first, second]) {
    await assert.rejects(board.attachment(DEFAULT, one), { code: "E_NOT_FOUND" });
    await board.detach(DEFAULT, one, USER);
  }
  assert.equal(readFileSync(join(root, "secret"), "utf8"), "s");
});

test("a detached file is gone with its row, and its name is free again", async (t) => {
  const { board, file, make, stored } = setup(t);
  const id = await make("one");
  const other = await make("two");
  const [made] = (await board.attach(DEFAULT, id, [file("a.txt", "a")], USER)).attachments;
  await assert.rejects(board.detach(DEFAULT, made?.id ?? 0, USER, other), { code: "E_NOT_FOUND" });
  await board.detach(DEFAULT, made?.id ?? 0, USER, id);
  assert.deepEqual([stored(id), await board.attachments(DEFAULT, id)], [[], []]);
  assert.deepEqual((await board.show(DEFAULT, id)).events.at(-1)?.payload, { filename: "a.txt" });
  await assert.rejects(board.detach(DEFAULT, made?.id ?? 0, USER), { code: "E_NOT_FOUND" });
  await board.attach(DEFAULT, id, [file("a.txt", "a")], USER);
  assert.deepEqual(stored(id), ["a.txt"]);
});

test("a task is made with its files or not at all", async (t) => {
  const { board, file, root, make, stored } = setup(t);
  await assert.rejects(make("one", { attach: [file("a.txt", "a"), { path: join(root, "gone") }] }), {
    code: "E_INVALID",
  });
  assert.deepEqual(await board.list(DEFAULT, {}), []);
  const id = await make("one", { attach: [file("a.txt", "a")], idempotency_key: "k" });
  assert.deepEqual(
    (await board.attachments(DEFAULT, id)).map((one) => one.filename),
    ["a.txt"],
  );
  assert.equal(await make("one", { attach: [file("b.txt", "b")], idempotency_key: "k" }), id);
  await assert.rejects(make("two", { attach: [file("b.txt", "b")], parents: ["t_00000000"] }), { code: "E_NOT_FOUND" });
  assert.deepEqual(
    [stored(id), readdirSync(join(root, "kanban/attachments")).flatMap((name) => stored(name as TaskId))],
    [["a.txt"], ["a.txt"]],
  );
});

test("a deleted task leaves no row and no file, and what is not the board's stays", async (t) => {
  const { board, file, make, store, stored } = setup(t);
  const parent = await make("gone", { attach: [file("a.txt", "a")] });
  const child = await make("child", { parents: [parent] });
  const outcome = await board.claim(DEFAULT, parent, { profile: "alice", lock: "h:1", by: USER });
  assert.ok(outcome.claimed);
  const { path } = await board.prepareWorkspace(DEFAULT, outcome.claim);
  const places = board.places(DEFAULT);
  mkdirSync(places.logs, { recursive: true });
  for (const name of [`${parent}.log`, `${parent}.log.1`, `${child}.log`])
    writeFileSync(join(places.logs, name), "log");
  await board.writeClaimFile(DEFAULT, outcome.claim);
  await board.comment(DEFAULT, parent, "hello", USER);
  await assert.rejects(board.remove(DEFAULT, parent, {}, USER), {
    code: "E_STATE",
    message: `cannot delete ${parent}: not archived`,
  });
  const removed = await board.remove(DEFAULT, parent, { any: true }, USER);
  assert.deepEqual(removed, { task_id: parent, title: "gone", released: [child], kept: [] });
  assert.deepEqual(
    [existsSync(path), stored(parent), readdirSync(places.logs), readdirSync(places.runs)],
    [false, [], [`${child}.log`], []],
  );
  const left = await (await store()).read(async (q) => {
    const counts: unknown[] = [];
    for (const name of ["comments", "runs", "attachments", "links", "comment_texts", "run_texts"]) {
      counts.push((await q.get<{ n: number }>(`SELECT count(*) AS n FROM ${name}`))?.n);
    }
    return counts;
  });
  assert.deepEqual(left, [0, 0, 0, 0, 0, 0]);
  const events = await board.eventsAfter(DEFAULT, 0, 100);
  assert.ok(events.every((event) => event.task_id !== parent));
  assert.deepEqual([events.at(-1)?.kind, events.at(-1)?.payload], ["deleted", { task_id: parent, title: "gone" }]);
  assert.equal((await board.task(DEFAULT, child)).status, "ready");
});

test("a workspace without the mark of its task survives the task, and is named", async (t) => {
  const { board, make, root } = setup(t);
  const own = join(root, "mine");
  mkdirSync(own);
  const id = await make("one", { workspace_path: own });
  const outcome = await board.claim(DEFAULT, id, { profile: "alice", lock: "h:1", by: USER });
  assert.ok(outcome.claimed);
  await board.prepareWorkspace(DEFAULT, outcome.claim);
  await board.archive(DEFAULT, id, USER);
  assert.deepEqual((await board.remove(DEFAULT, id, {}, USER)).kept, [own]);
  assert.ok(existsSync(own));
});

test("a link given by a person is followed, and what cannot be read is said and leaves nothing", async (t) => {
  const { board, file, make, root, stored } = setup(t);
  const id = await make("one");
  symlinkSync(file("real.txt", "r").path, join(root, "in", "link.txt"));
  const [made] = (await board.attach(DEFAULT, id, [{ path: join(root, "in", "link.txt") }], USER)).attachments;
  assert.deepEqual([made?.filename, made?.size], ["link.txt", 1]);
  writeFileSync(join(root, "kanban/attachments", "plain"), "in the way");
  await board.detach(DEFAULT, made?.id ?? 0, USER);
  rmSync(join(root, "kanban/attachments"), { recursive: true });
  writeFileSync(join(root, "kanban/attachments"), "a file where the folder should be");
  await assert.rejects(board.attach(DEFAULT, id, [file("a.txt", "a")], USER), {
    code: "E_INVALID",
    message: /cannot store .*: E(EXIST|NOTDIR)$/,
  });
  rmSync(join(root, "kanban/attachments"));
  assert.deepEqual([stored(id), await board.attachments(DEFAULT, id)], [[], []]);
});

test("an upload is kept as it comes; one that breaks off, or is longer than it may be, leaves nothing", async (t) => {
  const { board, make, stored } = setup(t, { "kanban.attachment_max_bytes": 10 });
  const id = await make("one");
  async function* pieces(end?: Error) {
    yield Buffer.from("1234");
    yield Buffer.from("5678");
    if (end !== undefined) throw end;
  }
  async function* endless() {
    for (;;) yield Buffer.from("1234");
  }
  const upload = (bytes: AsyncIterable<Uint8Array>, who?: string) =>
    board.attach(DEFAULT, id, [{ path: "up.txt", bytes, uploadedBy: () => who }], USER);
  const reset = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  await assert.rejects(upload(pieces(reset)), { code: "E_INVALID" });
  await assert.rejects(upload(endless()), {
    code: "E_TOO_LARGE",
    message: /up.txt is too large: larger than expected \(limit 10/,
  });
  assert.deepEqual([stored(id), await board.attachments(DEFAULT, id)], [[], []]);
  const { attachments } = await upload(pieces(), "ann");
  assert.deepEqual([attachments[0]?.size, attachments[0]?.uploaded_by, stored(id)], [8, "ann", ["up.txt"]]);
  assert.equal((await upload(pieces())).attachments[0]?.uploaded_by, "user");
});
