import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import type { Reply, Script } from "../../fixtures/servers/model/script.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { type TaskFacts, workerHome } from "../../fixtures/worlds/worker-home.js";

interface Goal {
  readonly title: string;
  /** Answers of the worker's model, by the number of assistant messages since the last user message. */
  readonly worker: readonly Reply[];
  /** Answers of the judge, in their order. */
  readonly judge: readonly Reply[];
  readonly options?: readonly string[];
  readonly config?: string;
  readonly outcome: string;
  readonly check: (facts: TaskFacts, sent: Sent) => void;
}

interface Sent {
  /** User messages of the worker's last request. */
  readonly said: readonly string[];
  /** What the judge was asked, in order. */
  readonly judged: readonly string[];
}

const no = (reason: string): Reply => ({ text: JSON.stringify({ done: false, reason }) });
const yes = (reason: string): Reply => ({ text: JSON.stringify({ done: true, reason }) });

/** Talks in every turn, and completes when it is told that the goal is met. */
const talker: readonly Reply[] = [{ text: "I worked on it." }];

const goals: Goal[] = [
  {
    title:
      "a goal that the judge does not find met is continued in the same conversation, then finished by the worker itself",
    worker: [
      { tool_calls: [{ name: "terminal", arguments: { command: "echo step" } }] },
      { text: "One more step is done." },
    ],
    judge: [no("the file is missing"), no("still missing"), yes("the file is there")],
    outcome: "protocol_violation",
    check: ({ events, runs }, { said, judged }) => {
      assert.equal(judged.length, 3);
      assert.match(said[1] ?? "", /^\[Continuing toward your standing goal\]\n\nship it\n\nall of it/);
      assert.match(said[2] ?? "", /still missing/);
      assert.match(said[3] ?? "", /goal of task t_\w+ is met.*kanban_complete/s);
      // It was told to finish and does not: from here on the ordinary reminders hold.
      assert.equal(said.length, 6);
      assert.match(judged[0] ?? "", /terminal .*echo step/);
      assert.match(judged[0] ?? "", /## Goal\nship it\n\nall of it/);
      assert.equal(events.find((event) => event.kind === "protocol_violation")?.payload["reminders"], 2);
      assert.ok((runs[0]?.usage?.api_calls ?? 0) >= 9, "the judge's requests count as well");
    },
  },
  {
    title: "a goal whose turns are used up blocks the task with the judge's last reason",
    worker: talker,
    judge: [no("nothing was written"), no("nothing at all"), no("still nothing")],
    options: ["--goal-max-turns", "2"],
    outcome: "blocked",
    check: ({ task }, { judged, said }) => {
      assert.deepEqual([task.status, task.block_kind], ["blocked", "worker"]);
      assert.match(task.block_reason ?? "", /still nothing/);
      assert.deepEqual([judged.length, said.length], [3, 3]);
    },
  },
  {
    title: "a judge that fails counts as not met, and goals.max_turns bounds the work",
    worker: talker,
    judge: [{ status: 500, body: { error: { message: "out of order" } } }],
    config: "goals:\n  max_turns: 1\nagent:\n  api_max_retries: 1\n",
    outcome: "blocked",
    check: ({ task }) => {
      assert.equal(task.block_kind, "worker");
      assert.match(task.block_reason ?? "", /out of order/);
    },
  },
  {
    title: "a terminal call ends the goal at once, without any judge",
    worker: [{ tool_calls: [{ name: "kanban_complete", arguments: { summary: "shipped" } }] }],
    judge: [yes("unused")],
    outcome: "completed",
    check: ({ runs }, { judged }) => assert.deepEqual([runs[0]?.summary, judged.length], ["shipped", 0]),
  },
];

for (const { title, worker, judge, options = [], config = "", outcome, check } of goals) {
  test(title, async (t) => {
    proves(t, "goal.continues", "config.goals.max-turns");
    const script: Script = { pick: "history", replies: worker, auxiliary: judge };
    const server = await startModelServer({ script });
    t.after(() => server.close());
    const model = `model:\n  default: scripted\n  base_url: ${server.url}\n  api_key: sk-test\n`;
    const home = workerHome(t, `${model}${config}security:\n  allow_private_urls: true\n`);
    await home.owner();
    const id = await home.create("ship it", "all of it", "--goal", ...options);
    const facts = await home.task(id, ({ runs }) => runs[0]?.outcome != null);
    assert.equal(facts.runs[0]?.outcome, outcome, JSON.stringify(facts.runs[0]));
    const texts = (messages: readonly { role: string; content?: unknown }[]) =>
      messages.filter((message) => message.role === "user").map((message) => String(message.content));
    const judged = server.requests
      .filter((entry) => entry.auxiliary)
      .map((entry) => texts(entry.body?.messages ?? [])[0] ?? "");
    check(facts, { judged, said: texts(server.chats().at(-1)?.body?.messages ?? []) });
  });
}

test("a goal goes on with the next owner when its own was killed while the judge was asked", async (t) => {
  const judge: Reply[] = [
    { ...no("not yet"), hold: "judge" },
    { ...yes("it is there"), hold: "next owner" },
  ];
  const server = await startModelServer({ script: { pick: "history", replies: talker, auxiliary: judge } });
  t.after(() => server.close());
  const model = `model:\n  default: scripted\n  base_url: ${server.url}\n  api_key: sk-test\nsecurity:\n  allow_private_urls: true\n`;
  const home = workerHome(t, `${model}kanban:\n  protocol_reminders: 0\n`);
  const first = await home.owner();
  const id = await home.create("ship it", "all of it", "--goal");
  await server.asked(1);
  process.kill(first.pid, "SIGKILL");
  await first.exited;
  server.release("judge");
  await home.owner(); // it has adopted what it met, before it says that it is there
  server.release("next owner");
  const { runs, events } = await home.task(id, (facts) => facts.runs[0]?.outcome != null);
  assert.deepEqual([runs.length, runs[0]?.outcome], [1, "protocol_violation"]);
  assert.ok(events.some((event) => event.kind === "adopted"));
  assert.equal(server.chats().length, 3, "the first turn, one continuation, and the message to finish");
});
