import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { layOutHome } from "../../base/home.js";
import { type Log, silentLog } from "../../base/log/log.js";
import { testSignal } from "../../base/process/signal.js";
import { createCopyCheck } from "./board-copies.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function setup(t: TestContext, findings: Readonly<Record<string, readonly string[]>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), "copies-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = layOutHome(dir);
  mkdirSync(home.cache);
  const clock = manualClock();
  const said: string[] = [];
  const compared = testSignal<string>();
  const log: Log = {
    ...silentLog,
    error: (message, facts) => said.push(`${message} ${JSON.stringify(facts)}`),
    warning: (message) => said.push(message),
  };
  const compare = async ({ name }: { name: string }) => {
    compared.emit(name);
    if (findings[name]?.[0] === "throw") throw new Error("no");
    return findings[name] ?? [];
  };
  const start = async () => {
    const service = createCopyCheck({ home, clock, log, boards: async () => ["default", "a"], compare });
    t.after(() => service.stop(1000));
    await service.start();
    return service;
  };
  return { home, clock, said, compared, start };
}

test("the copies of every store are compared some minutes after the start and then once a day", async (t) => {
  const { home, clock, compared, start } = setup(t);
  writeFileSync(home.state, "");
  await start();
  for (const wait of [10 * MINUTE, DAY, DAY]) {
    await clock.waits();
    clock.advance(wait);
    assert.deepEqual(
      [await compared.next(), await compared.next(), await compared.next()],
      ["board:default", "board:a", "state"],
    );
  }
});

test("what differs is reported with the store, and one that cannot be compared does not keep the others waiting", async (t) => {
  const { clock, said, compared, start } = setup(t, {
    "board:default": ["throw"],
    "board:a": ["kanban.db holds something else"],
  });
  await start();
  clock.advance(10 * MINUTE);
  await compared.next();
  await compared.next();
  await clock.waits();
  assert.equal(said.length, 2);
  assert.match(said[1] ?? "", /differ.*board:a.*holds something else/);
});

test("an owner that is started again goes on with the day", async (t) => {
  const { home, clock, compared, start } = setup(t);
  writeFileSync(join(home.cache, "copies-compared"), `${clock.now() - DAY / 2}\n`);
  await start();
  let heard = false;
  const next = compared.next().then(() => {
    heard = true;
  });
  clock.advance(DAY / 2 - 1);
  assert.deepEqual([heard, clock.waiting], [false, 1]);
  clock.advance(1);
  await next;
});
