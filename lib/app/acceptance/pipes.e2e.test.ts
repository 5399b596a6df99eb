import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import type { BoardEvent, Task } from "../../contracts/board/board.js";
import type { Attachment } from "../../contracts/board/records.js";

const QUIET = { kanban: { dispatch_in_gateway: false } };

test("what was asked for as JSON is all that stands on standard output, warnings and failures included", async (t) => {
  const { K } = await kanbanWorld(t, QUIET);
  const made = await K("create", "naïve 日本", "--assignee", "nobody-here", "--json");
  const task: Task & { warnings: string[] } = JSON.parse(made.out);
  assert.deepEqual([task.title, made.err], ["naïve 日本", ""]);
  assert.ok(made.out.includes('\n  "title": "naïve 日本"'), "two blanks, and letters as they are");
  assert.equal(task.warnings.length, 2);
  for (const line of [
    ["list"],
    ["show", task.id],
    ["runs", task.id],
    ["stats"],
    ["attachments", task.id],
    ["boards", "list"],
    [],
  ]) {
    const { code, out, err } = await K(...line, "--json");
    assert.deepEqual([code, err], [0, ""], line.join(" "));
    JSON.parse(out);
  }
  for (const [line, exit] of [
    [["show", "nope"], 1],
    [["list", "--sort", "nope"], 2],
    [["bogus"], 2],
    [["create", ""], 1],
    [["edit", task.id], 2],
    [["boards", "bogus"], 2],
  ] as const) {
    const { code, out, err } = await K(...line, "--json");
    assert.deepEqual([code, err], [exit, ""], line.join(" "));
    assert.equal(typeof JSON.parse(out).error.code, "string");
  }
});

test("a reader that has seen enough ends a long list and a watched board without a word", async (t) => {
  const { owner, client, start, make } = await kanbanWorld(t, QUIET);
  await owner();
  const calls = client();
  for (let n = 0; n < 300; n++)
    await calls.call("kanban.create", { title: `task ${n}`, body: "x".repeat(2_000), external: true });
  const list = start(["list", "--json"]);
  await list.line((line) => line.includes('"id"'));
  list.stopReading();
  const listed = await list.ended;
  assert.deepEqual([listed.code, listed.err], [0, ""]);
  const watch = start(["watch", "--json", "--since", "0", "--kinds", "created"]);
  const line = await watch.line((one) => one.startsWith("{"));
  const event: BoardEvent = JSON.parse(line);
  assert.equal(event.kind, "created");
  watch.stopReading();
  await make("one more", "--external"); // what is written next finds the pipe closed
  const watched = await watch.ended;
  assert.deepEqual([watched.code, watched.err], [0, ""]);
});

test("files of a task go in and out through the owner as they are, and are gone when they are detached", async (t) => {
  const { owner, make, K, J, places, work } = await kanbanWorld(t, {
    kanban: { ...QUIET.kanban, attachment_max_bytes: 1_000_000 },
  });
  await owner();
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, n) => (n * 7919) % 256));
  writeFileSync(join(work, "data.bin"), bytes);
  writeFileSync(join(work, "huge.bin"), Buffer.alloc(1_000_001));
  const id = await make("one", "--attach", "data.bin");
  assert.equal((await K("attach", id, "data.bin")).out, `Attached data (1).bin to ${id}\n`);
  const refused = await K("attach", id, "huge.bin", "--json");
  assert.deepEqual([refused.code, JSON.parse(refused.out).error.code], [1, "E_TOO_LARGE"]);
  const kept = await J<Attachment[]>("attachments", id);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  assert.deepEqual(
    kept.map((one) => [one.filename, one.size, one.sha256, one.uploaded_by]),
    [
      ["data.bin", bytes.length, sha256, "user"],
      ["data (1).bin", bytes.length, sha256, "user"],
    ],
  );
  const [first] = kept;
  const path = join(places.attachments, first?.stored_path ?? "");
  assert.ok(readFileSync(path).equals(bytes));
  assert.equal((await K("detach", id, String(first?.id))).out, `Detached data.bin from ${id}\n`);
  assert.equal(existsSync(path), false);
});
