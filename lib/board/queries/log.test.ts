import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type TestContext, test } from "node:test";
import { DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import { rotateFile } from "../../base/log/log-file.js";
import type { LogQuestion } from "../../contracts/board/api.js";

const head = (run: number) => `=== run ${run} profile=default 2026-01-01T00:00:00Z ===\n`;

async function setup(t: TestContext, runs = 1) {
  const { board, clock } = setupBoard(t);
  const { task } = await board.create(DEFAULT, { title: "x" }, USER);
  const { id } = task;
  const path = board.places(DEFAULT).log(id);
  mkdirSync(dirname(path), { recursive: true });
  const begin = () => board.claim(DEFAULT, id, { profile: "default", lock: "h:1", by: USER });
  for (let n = 1; n <= runs; n++) {
    await begin();
    if (n < runs) await board.reclaim(DEFAULT, id, undefined, USER);
  }
  return {
    board,
    clock,
    id,
    path,
    log: (part: LogQuestion = {}) => board.log(DEFAULT, id, part),
    end: () => board.block(DEFAULT, id, {}, USER),
  };
}

test("the log of a task is whole over its backups, and --tail counts bytes over them", async (t) => {
  const { log, path } = await setup(t);
  assert.equal((await log()).exists, false);
  writeFileSync(`${path}.1`, `${head(1)}one\n`);
  writeFileSync(path, "two ü\n");
  const all = await log();
  assert.deepEqual(
    [all.content, all.size_bytes, all.truncated],
    [`${head(1)}one\ntwo ü\n`, Buffer.byteLength(all.content), false],
  );
  assert.deepEqual(
    [(await log({ tailBytes: 11 })).content, (await log({ tailBytes: 11 })).truncated],
    ["one\ntwo ü\n".slice(-10), true],
  );
  assert.equal((await log({ tailBytes: 2 })).content, "\n", "no part of a character");
});

test("the part of each run is found by its head, over the backups", async (t) => {
  const { log, path, id } = await setup(t, 4);
  writeFileSync(`${path}.1`, `the rest of one\n${head(2)}two\n=== run 9 is no head\nx ${head(3)}`);
  writeFileSync(path, `more of two\n${head(3)}three\n${"z".repeat(600_000)}\n${head(4)}four\n`);
  assert.equal((await log({ run: 1 })).content, "the rest of one\n");
  assert.equal((await log({ run: 2 })).content, `${head(2)}two\n=== run 9 is no head\nx ${head(3)}more of two\n`);
  assert.equal((await log({ run: 3 })).content.length, head(3).length + "three\n".length + 600_001);
  assert.deepEqual(
    [(await log({ run: 4 })).content, (await log({ run: 4, tailBytes: 5 })).content],
    [`${head(4)}four\n`, "four\n"],
  );
  await assert.rejects(() => log({ run: 9 }), { code: "E_NOT_FOUND", message: `${id} has no run 9` });
  writeFileSync(`${path}.1`, "");
  assert.equal((await log({ run: 1 })).exists, false);
});

test("following a log goes on over a rotation and ends with the run", async (t) => {
  const { board, clock, id, path, end } = await setup(t);
  writeFileSync(path, `${head(1)}before\n`);
  const signal = new AbortController().signal;
  const pieces = board.followLog(DEFAULT, id, { tailBytes: 7 }, signal)[Symbol.asyncIterator]();
  assert.equal((await pieces.next()).value, "before\n");
  const next = async (act: () => unknown) => {
    const piece = pieces.next();
    await clock.waits(1);
    await act();
    clock.advance(100);
    return (await piece).value;
  };
  assert.equal(await next(() => appendFileSync(path, "one\n")), "one\n");
  const turned = await next(() => {
    appendFileSync(path, "two\n");
    rotateFile(path, { maxBytes: 1, backups: 1, inUse: true });
    appendFileSync(path, "three\n");
  });
  assert.equal(turned, "two\nthree\n");
  const last = await next(async () => {
    appendFileSync(path, "last\n");
    await end();
  });
  assert.equal(last, "last\n");
  assert.equal((await pieces.next()).done, true);
});

test("following a task that does not run shows what there is and ends", async (t) => {
  const { board, id, path, end } = await setup(t);
  await end();
  writeFileSync(path, "all\n");
  const seen: string[] = [];
  for await (const piece of board.followLog(DEFAULT, id, {}, new AbortController().signal)) seen.push(piece);
  assert.deepEqual(seen, ["all\n"]);
});
