import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { createBus, type LiveDelta } from "../../backplane/bus.js";
import { createLog, type LogSeverity } from "../../base/log/log.js";
import { createLogLines } from "../../base/log/log-lines.js";
import type { RunId } from "../../base/units.js";
import { boardPlaces } from "../../board/core/places.js";
import type { Run } from "../../contracts/board/board.js";
import { type LogFilter, type LogPage, logTopic } from "../../contracts/ui/log-lines.js";
import { serveLogs } from "./follow-logs.js";
import type { LogSources } from "./log-files.js";
import { logPage } from "./log-page.js";

function setup(t: TestContext, maxBytes = 1 << 20) {
  const dir = mkdtempSync(join(tmpdir(), "logs-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const clock = manualClock();
  const lines = createLogLines();
  const log = createLog({
    dir,
    clock,
    level: "debug",
    redact: (text) => text,
    onLine: lines.tell,
    maxBytes,
    backups: 9,
  });
  let output = "";
  const parties: LogSources = {
    logs: dir,
    lines,
    board: {
      places: async (slug) => boardPlaces(dir, slug),
      runs: async () => [1, 2].map((id) => ({ id: id as RunId }) as Run),
    },
    processLog: async () => output,
    rest: async () => undefined,
  };
  const bus = createBus();
  serveLogs(bus, parties, clock);
  const page = (filter: LogFilter, before?: string, most = 100): Promise<LogPage> =>
    logPage(parties, { filter, before, lines: most });
  const follow = (filter: LogFilter) => {
    const told: LiveDelta[] = [];
    let wake: () => void = () => undefined;
    const stop = bus.onDelta(logTopic("me", filter), (delta) => {
      told.push(delta);
      wake();
    });
    t.after(stop);
    return {
      stop,
      next: async (): Promise<LiveDelta> => {
        if (told.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        return told.shift() ?? assert.fail();
      },
    };
  };
  return { dir, clock, log, page, follow, bus, say: (text: string) => (output += text) };
}

const texts = ({ lines }: LogPage) => lines.map((line) => line.replace(/^.*agent: /, ""));

test("pages of a log go back over its backups, each line once and in order", async (t) => {
  const { log, page, dir } = setup(t, 2_000);
  for (let n = 0; n < 200; n++) log.info(`line ${n}`);
  assert.ok(existsSync(join(dir, "agent.log.4")));
  const seen: string[] = [];
  for (let before: string | null | undefined; before !== null; ) {
    const got: LogPage = await page({ source: "owner" }, before, 7);
    seen.unshift(...texts(got));
    before = got.before;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 200 }, (_, n) => `line ${n}`),
  );
});

test("a place is found again when the log was turned over and its oldest part dropped meanwhile", async (t) => {
  const { log, page, dir } = setup(t);
  for (let n = 0; n < 20; n++) log.info(`old ${n}`);
  renameSync(join(dir, "agent.log"), join(dir, "agent.log.1"));
  for (let n = 0; n < 20; n++) log.info(`line ${n}`);
  const { before } = await page({ source: "owner" }, undefined, 5);
  rmSync(join(dir, "agent.log.1"));
  renameSync(join(dir, "agent.log"), join(dir, "agent.log.1"));
  log.info("new");
  assert.deepEqual(texts(await page({ source: "owner" }, before ?? undefined, 2)), ["line 13", "line 14"]);
});

interface Case {
  readonly name: string;
  readonly filter: Partial<LogFilter>;
  readonly seen: readonly string[];
}

const CASES: readonly Case[] = [
  { name: "everything", filter: {}, seen: ["d", "i", "w s", "Zebra", "e"] },
  { name: "level warning and above", filter: { level: "warning" }, seen: ["w s", "e"] },
  { name: "a text in any case", filter: { text: "zeb" }, seen: ["Zebra"] },
  { name: "a text with capitals is exact", filter: { text: "ZEB" }, seen: [] },
  { name: "one session", filter: { session: "s1" }, seen: ["w s"] },
  { name: "the board's part", filter: { source: "board" }, seen: ["Zebra"] },
  { name: "errors", filter: { source: "errors" }, seen: ["w s", "e"] },
  { name: "a log that is not there yet", filter: { source: "gateway" }, seen: [] },
];

for (const { name, filter, seen } of CASES) {
  test(`older lines and live ones pass the same filter: ${name}`, async (t) => {
    const { log, page, follow, clock } = setup(t);
    const say = () => {
      log.debug("d");
      log.info("i");
      log.warning("w s", { session: "s1" });
      log.child("board").info("Zebra");
      log.error("e");
    };
    const shown = (lines: readonly string[]) => lines.map((line) => line.replace(/^.* (agent|board): /, ""));
    say();
    const all = { source: "owner", ...filter } as const;
    const old = await page(all);
    assert.deepEqual(shown(old.lines), seen);
    assert.equal(old.exists, filter.source !== "gateway");
    const { next } = follow(all);
    const begin = await next();
    assert.deepEqual([begin.event, shown(begin.data["lines"] as string[])], ["log.begin", seen]);
    say();
    clock.advance(60);
    if (seen.length === 0) return;
    const { text, upto } = (await next()).data;
    assert.deepEqual([shown(String(text).trimEnd().split("\n")), upto], [seen, seen.length]);
  });
}

test("a filter that lets little through looks on in the older parts", async (t) => {
  const { log, page, dir } = setup(t, 64 << 20);
  const noise = `2026-01-01 00:00:00,000 INFO agent: noise\n`.repeat(20_000);
  log.error("needle");
  appendFileSync(join(dir, "agent.log"), noise);
  const found = await page({ source: "owner", level: "error" });
  assert.deepEqual(texts(found), ["needle"]);
});

test("a flood is reported by its newest lines, and how many there were", async (t) => {
  const { log, follow, clock } = setup(t);
  const { next } = follow({ source: "owner" });
  await next();
  for (let n = 1; n <= 5_000; n++) log.info(`line ${n}`);
  clock.advance(50);
  const first = (await next()).data;
  assert.deepEqual([String(first["text"]).split("\n").length - 1, first["upto"]], [2_000, 5_000]);
  assert.match(String(first["text"]), /line 5000\n$/);
  log.info("more");
  clock.advance(100);
  log.info("last");
  clock.advance(1_000);
  const second = (await next()).data;
  assert.match(String(second["text"]), /more\n.*last\n$/);
  assert.equal(second["upto"], 5_002);
});

test("the log of a run is its own part, and grows while it is written", async (t) => {
  const { dir, follow, clock, page } = setup(t);
  const path = boardPlaces(dir, "default").log("t_00000001" as never);
  mkdirSync(join(path, ".."), { recursive: true });
  const head = (n: number) => `=== run ${n} profile=default 2026-01-01T00:00:00Z ===\n`;
  writeFileSync(path, `${head(1)}one\n${head(2)}two\nhalf`);
  const run = (id: number): LogFilter => ({ source: "run", run: { board: "default", task: "t_00000001", id } });
  assert.deepEqual((await page(run(1))).lines, [head(1).trimEnd(), "one"]);
  const { next, stop } = follow(run(2));
  assert.deepEqual((await next()).data["lines"], [head(2).trimEnd(), "two"]);
  appendFileSync(path, ` a line\nü\n${head(3)}other\n`);
  await clock.waits(1);
  clock.advance(100);
  await clock.waits(2);
  clock.advance(50);
  assert.equal((await next()).data["text"], "half a line\nü\n");
  stop();
  clock.advance(100);
  await Promise.resolve();
  assert.equal(clock.waiting, 0, "nothing looks on when nobody listens");
});

test("the output of a background process is followed though it loses its beginning", async (t) => {
  const { follow, clock, say } = setup(t);
  say("one\ntw");
  const { next } = follow({ source: "process", process: { session: "s", id: "p1" } });
  assert.deepEqual((await next()).data["lines"], ["one"]);
  say("o\nthree\n");
  await clock.waits(1);
  clock.advance(100);
  await clock.waits(2);
  clock.advance(50);
  assert.equal((await next()).data["text"], "two\nthree\n");
});

const LEVELS: readonly LogSeverity[] = ["debug", "info", "warning", "error"];

test("nothing is made for a topic that no one follows any more", async (t) => {
  const { log, follow, clock } = setup(t);
  const { next, stop } = follow({ source: "owner" });
  await next();
  stop();
  for (const level of LEVELS) log[level]("x");
  assert.equal(clock.waiting, 0);
});
