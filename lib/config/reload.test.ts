import assert from "node:assert/strict";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { ALL_KEYS } from "../app/all-keys.gen.js";
import { layOutHome } from "../base/home.js";
import { KANBAN } from "../board/core/keys.js";
import type { ConfigKey } from "../contracts/config/config.js";
import { loadConfig } from "./load-config.js";

interface Row {
  readonly title: string;
  readonly key: ConfigKey<unknown>;
  readonly before: string;
  readonly after: string;
  readonly value: unknown;
  readonly problem: RegExp | undefined;
}

const rows: Row[] = [
  {
    title: "a number",
    key: KANBAN.retryBackoff,
    before: "7",
    after: "soon",
    value: 7,
    problem: /not "soon"; 7 is kept/,
  },
  {
    title: "a number out of range",
    key: KANBAN.dispatchInterval,
    before: "9",
    after: "0",
    value: 9,
    problem: /from 1 to 3600.*9 is kept/,
  },
  {
    title: "a switch",
    key: KANBAN.dispatchInGateway,
    before: "false",
    after: "perhaps",
    value: false,
    problem: /false is kept/,
  },
  {
    title: "a list",
    key: KANBAN.workerEnv,
    before: "[A]",
    after: "A",
    value: ["A"],
    problem: /must be a list of strings/,
  },
  {
    title: "a limit",
    key: KANBAN.maxInProgress,
    before: "unlimited",
    after: "-1",
    value: "unlimited",
    problem: /must be a whole number of at least 1, or unlimited, not -1; "unlimited" is kept/,
  },
  {
    title: "the failure limit, which counts as 2",
    key: KANBAN.failureLimit,
    before: "5",
    after: "0",
    value: 2,
    problem: /the default is used/,
  },
  {
    title: "a value that was taken out is the default again",
    key: KANBAN.retryBackoff,
    before: "7",
    after: "null",
    value: 30,
    problem: undefined,
  },
];

for (const { title, key, before, after, value, problem } of rows) {
  test(`an invalid value keeps the last valid one while the program runs: ${title}`, async (t) => {
    const { config, write } = await setup(t, key, before);
    write(after);
    await config.reload();
    assert.deepEqual(config.get(key), value);
    if (problem === undefined) assert.deepEqual(config.problems(), []);
    else assert.match(config.problems().join("\n"), problem);
    write(before);
    await config.reload();
    assert.deepEqual(config.problems(), []);
  });
}

test("an invalid value that was there at the start counts as the default", async (t) => {
  const { config } = await setup(t, KANBAN.retryBackoff, "soon");
  assert.equal(config.get(KANBAN.retryBackoff), 30);
});

test("whoever asks sees a changed file once it rests, and not while it is being written", async (t) => {
  const { config, write, touch, clock } = await setup(t, KANBAN.retryBackoff, "7");
  write("8");
  touch(clock.now() / 1000);
  await config.refresh();
  assert.equal(config.get(KANBAN.retryBackoff), 7);
  clock.advance(1_000);
  await config.refresh();
  assert.equal(config.get(KANBAN.retryBackoff), 8);
});

test("a file whose time lies in the future is read anyway", async (t) => {
  const { config, write, touch, clock } = await setup(t, KANBAN.retryBackoff, "7");
  write("8");
  touch(clock.now() / 1000 + 86_400 * 365);
  await config.refresh();
  assert.equal(config.get(KANBAN.retryBackoff), 8);
});

async function setup(t: TestContext, key: ConfigKey<unknown>, value: string) {
  const dir = mkdtempSync(join(tmpdir(), "reload-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = layOutHome(dir);
  const [section, name] = key.key.split(".");
  const write = (text: string) => writeFileSync(home.config, `${section}:\n  ${name}: ${text}\n`);
  write(value);
  const clock = manualClock();
  const touch = (seconds: number) => utimesSync(home.config, seconds, seconds);
  return { config: await loadConfig({ home, env: {}, clock, keys: ALL_KEYS }), write, touch, clock };
}
