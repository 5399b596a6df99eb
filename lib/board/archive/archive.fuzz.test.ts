import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { GOOD_ARCHIVE } from "../../../fixtures/corpora/archives.js";
import { seeded } from "../../../fixtures/ports/random.js";
import { setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import { rawTar } from "../../../fixtures/worlds/tar.js";
import { AppError } from "../../base/errors.js";

const SHORT = process.env["AGENT_TEST_SHORT"] === "1";

/** Imports one file after the other; each is refused with a reason, and nothing of it stays. @returns how many were taken */
function importer(t: TestContext) {
  const world = setupBoard(t, { real: true });
  const path = join(world.root, "in.tar.gz");
  let taken = 0;
  const boards = () =>
    existsSync(join(world.root, "kanban", "boards")) ? readdirSync(join(world.root, "kanban", "boards")) : [];
  return async (bytes: Buffer, what: string): Promise<boolean> => {
    writeFileSync(path, bytes);
    const before = boards();
    try {
      await world.board.importBoard(path, { as: `b${taken}` }, USER);
      taken += 1;
      return true;
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === "E_INVALID", `${what}: ${String(error)}`);
      assert.deepEqual(boards(), before, what);
      return false;
    }
  };
}

test("an archive cut at each block is refused, and nothing of it stays", async (t) => {
  const bring = importer(t);
  const whole = rawTar(GOOD_ARCHIVE);
  for (let at = 0; at < whole.length; at += 512)
    assert.equal(await bring(gzipSync(whole.subarray(0, at)), `cut at ${at}`), false);
  assert.equal(await bring(gzipSync(whole), "whole"), true);
});

test("a packed file cut anywhere is refused", async (t) => {
  const bring = importer(t);
  const whole = gzipSync(rawTar(GOOD_ARCHIVE));
  for (let at = 0; at < whole.length; at += SHORT ? 97 : 11)
    assert.equal(await bring(whole.subarray(0, at), `cut at ${at}`), false);
});

test("a changed byte anywhere is refused or hurts nothing; there is never half a board", async (t) => {
  const bring = importer(t);
  const whole = rawTar(GOOD_ARCHIVE);
  const random = seeded(7);
  let refused = 0;
  for (let round = 0; round < (SHORT ? 60 : 400); round++) {
    const bytes = Buffer.from(whole);
    for (let flips = 1 + random.below(3); flips > 0; flips--) bytes[random.below(bytes.length)] = random.below(256);
    if (!(await bring(gzipSync(bytes), `round ${round}`))) refused += 1;
  }
  assert.ok(refused > 20, `${refused} were refused`);
});

test("blocks in another order, doubled or left out make no half board", async (t) => {
  const bring = importer(t);
  const whole = rawTar(GOOD_ARCHIVE);
  const blocks = Array.from({ length: whole.length / 512 }, (_, n) => whole.subarray(n * 512, n * 512 + 512));
  const random = seeded(11);
  for (let round = 0; round < (SHORT ? 50 : 300); round++) {
    const changed = [...blocks];
    const at = random.below(blocks.length);
    const to = random.below(blocks.length);
    const how = random.below(3);
    if (how === 0) changed.splice(at, 1);
    else if (how === 1) changed.splice(at, 0, blocks[to] ?? Buffer.alloc(512));
    else [changed[at], changed[to]] = [blocks[to] ?? Buffer.alloc(512), blocks[at] ?? Buffer.alloc(512)];
    await bring(gzipSync(Buffer.concat(changed)), `round ${round}`);
  }
});

test("a small file that unpacks to much is given up early", async (t) => {
  const bring = importer(t);
  const bomb = gzipSync(Buffer.concat([rawTar(GOOD_ARCHIVE, Buffer.alloc(0)), Buffer.alloc(1 << 26)]));
  assert.ok(bomb.length < 1 << 20);
  await bring(bomb, "zeros behind the end");
  const line = gzipSync(
    rawTar(
      GOOD_ARCHIVE.map((member) =>
        member.name === "events.jsonl" ? { ...member, body: Buffer.alloc(64 << 20, 0x20) } : member,
      ),
    ),
  );
  assert.equal(await bring(line, "a line of blanks"), false);
});
