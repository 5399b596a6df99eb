import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { type KanbanOptions, type KanbanWorld, kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { type Running, start } from "../../../fixtures/e2e/process.js";
import { boardRows } from "../../../fixtures/e2e/rows.js";
import { bundleProgram } from "../../../fixtures/worlds/program.js";
import { systemClock } from "../../base/time/clock.js";
import type { Subscription } from "../../contracts/board/notify.js";

const CHAT = ["--platform", "msgt", "--chat-id", "5"];

interface Message {
  readonly answer: string;
  readonly text: string;
  readonly files: number;
}

/** A home whose messages are told by a process with a platform made of a file. */
interface Told extends KanbanWorld {
  /** Make a task and subscribe the chat to it. */
  subscribed(title: string, ...flags: readonly string[]): Promise<string>;
  /** Start telling; `answers`: what the platform does with each hand-over. The home must have no other owner meanwhile. */
  tell(answers?: string, more?: { readonly env?: Record<string, string>; readonly keyed?: boolean }): Running;
  /** Tell until nothing waits. */
  toldAll(answers?: string): Promise<void>;
  /** Every hand-over, as the platform has it. */
  messages(): readonly Message[];
  accepted(): readonly string[];
}

const teller = bundleProgram("fixtures/worlds/notify-owner.ts");
after(async () => (await teller).remove());

async function telling(t: TestContext, options: KanbanOptions = {}): Promise<Told> {
  const world = await kanbanWorld(t, options);
  const program = (await teller).file;
  const file = join(world.dump, "platform");
  const messages = (): readonly Message[] =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : [];
  const tell: Told["tell"] = (answers = "", { env = {}, keyed = true } = {}) => {
    const args = [program, world.home.root, file, answers, keyed ? "keyed" : "not"];
    return start(process.execPath, args, { env: { ...world.env, ...env }, cwd: world.work });
  };
  return {
    ...world,
    tell,
    messages,
    accepted: () => messages().flatMap((one) => (one.answer === "accepted" ? [one.text] : [])),
    subscribed: async (title, ...flags) => {
      const id = await world.make(title, "--external", ...flags);
      assert.equal((await world.K("notify", "subscribe", id, ...CHAT)).code, 0);
      return id;
    },
    toldAll: async (answers) => {
      const running = tell(answers);
      await running.line((line) => line === "waiting 0");
      await running.end("SIGKILL");
    },
  };
}

test("72: subscribing twice leaves one row, and unsubscribing works once", async (t) => {
  const { K, J, make } = await kanbanWorld(t);
  const id = await make("x");
  for (let time = 0; time < 2; time++)
    assert.equal((await K("notify", "subscribe", id, ...CHAT)).out, `Subscribed msgt:5 to ${id}\n`);
  const rows = await J<Subscription[]>("notify-list");
  assert.deepEqual(
    rows.map((row) => [row.task_id, row.thread_id]),
    [[id, ""]],
  );
  const first = await K("notify", "unsubscribe", id, ...CHAT);
  const second = await K("notify", "unsubscribe", id, ...CHAT);
  assert.deepEqual([first.code, second.code, second.out], [0, 1, "(no such subscription)\n"]);
});

test("73: a long summary is reported as one message with its beginning", async (t) => {
  const world = await telling(t);
  const id = await world.subscribed("write it");
  await world.K("complete", id, "--summary", "One sentence. ".repeat(143));
  await world.toldAll();
  const [message = "", ...more] = world.accepted();
  const [first, ...rest] = message.split("\n");
  assert.deepEqual([first, more.length], [`✔ Kanban ${id} done — write it`, 0]);
  const told = rest.join("\n");
  assert.ok([...told].length <= 300 && told.endsWith("One sentence."), told);
});

for (const failure of ["failed", "thrown"]) {
  test(`74: a message whose sending ${failure === "failed" ? "returns a failure" : "raises"} once is sent again after 5 s, once`, async (t) => {
    const world = await telling(t);
    const id = await world.subscribed("x");
    await world.K("complete", id, "--summary", "s");
    const begun = systemClock.mono();
    await world.toldAll(failure);
    assert.ok(systemClock.mono() - begun >= 4_000);
    assert.deepEqual(
      world.messages().map((one) => one.answer),
      [failure, "accepted"],
    );
    await world.toldAll();
    assert.equal(world.messages().length, 2);
  });
}

test("75: block, unblock, block is reported twice", async (t) => {
  const world = await telling(t);
  const id = await world.subscribed("x");
  for (const words of [
    ["block", id, "a"],
    ["unblock", id],
    ["block", id, "b"],
  ])
    assert.equal((await world.K(...words)).code, 0);
  await world.toldAll();
  assert.deepEqual(world.accepted(), [`⏸ Kanban ${id} blocked: a`, `⏸ Kanban ${id} blocked: b`]);
});

test("76: a path in a summary is no artifact, a declared one is", async (t) => {
  const world = await telling(t);
  const silent = await world.subscribed("x");
  const declared = await world.subscribed("y", "--workspace", `dir:${world.work}`);
  const path = join(world.work, "made.txt");
  writeFileSync(path, "made");
  await world.K("complete", silent, "--summary", `see ${path}`);
  const claimed = await world.J<{ run_id: number; token: string }>("claim", declared);
  const by = ["--run", String(claimed.run_id), "--token", claimed.token];
  const { code, err } = await world.K("complete", declared, "--summary", "s", "--artifact", "made.txt", ...by);
  assert.equal(code, 0, err);
  await world.toldAll();
  const files = (id: string) => world.messages().find((one) => one.text.includes(id))?.files;
  assert.deepEqual([files(silent), files(declared)], [0, 1]);
});

test("a crash that blocks the task is reported as giving up, from the processes to the chat", async (t) => {
  const world = await telling(t, { mode: "exit1", kanban: { retry_backoff_seconds: 0 } });
  const id = await world.make("x", "--assignee", "default");
  await world.K("notify", "subscribe", id, ...CHAT);
  for (let run = 1; run <= 2; run++) {
    await world.P();
    await world.exited(id, run);
  }
  await world.P();
  await world.toldAll();
  assert.deepEqual(
    world.accepted().map((text) => text.split("\n")[0]),
    [
      `✖ @default Kanban ${id} worker crashed (exit 1); will retry`,
      `✖ @default Kanban ${id} gave up after 2 failed attempts (last: crash)`,
    ],
  );
});

const KILLS = [
  ["notify.sending", true, "sent", 1],
  ["notify.handed", true, "sent", 1],
  ["notify.handed", false, "uncertain", 1],
  ["notify.sending", false, "uncertain", 0],
] as const;

for (const [point, keyed, state, messages] of KILLS) {
  test(`an owner killed at ${point} leaves a message that is ${state}${keyed ? "" : " where the platform keeps no keys"}, told at most once`, async (t) => {
    const world = await telling(t);
    const id = await world.subscribed("x");
    await world.K("block", id, "why");
    assert.ok((await world.tell("", { env: { AGENT_FAULT: `${point}:1` }, keyed }).ended).code >= 128);
    const again = world.tell("", { keyed });
    await again.line((line) => line === "waiting 0");
    await again.end("SIGKILL");
    const { deliveries } = await boardRows(world.home.root);
    assert.deepEqual([deliveries.map((row) => row.state), world.accepted().length], [[state], messages]);
  });
}

test("messages wait in a home without a platform, and its owner goes on as before", async (t) => {
  const world = await kanbanWorld(t);
  await world.D();
  const id = await world.make("x", "--external");
  await world.K("notify", "subscribe", id, ...CHAT);
  await world.K("complete", id);
  const [row] = await world.J<Subscription[]>("notify", "list");
  assert.deepEqual([row?.waiting, row?.ended, row?.degraded], [1, true, false]);
});
