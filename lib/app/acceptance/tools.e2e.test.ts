import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";
import type { Reply, ScriptProgram } from "../../../fixtures/servers/model/script.js";
import { connect } from "../../backplane/client.js";
import { WORKER_GUIDANCE } from "../../board/worker-api/worker-guidance.js";
import type { ClaimAnswer, TaskView } from "../../contracts/board/api.js";

const call = (name: string, args: Readonly<Record<string, unknown>> = {}): Reply => ({
  tool_calls: [{ name, arguments: args }],
});

/** A home with an owner whose workers and conversations have this model. */
async function home(t: TestContext, script: readonly Reply[] | ScriptProgram, config = ""): Promise<World> {
  const made = await world(t, {
    name: "scripted",
    model: { script: typeof script === "function" ? script : { pick: "history", replies: script } },
    config,
  });
  await made.owner();
  return made;
}

const boardTools = (made: World, about: string): readonly string[] => {
  const request = made.model.chats().find(({ body }) => JSON.stringify(body?.messages).includes(about));
  const names = (request?.body?.tools ?? []).flatMap(
    (tool) => /"name":"(kanban_\w+)"/.exec(JSON.stringify(tool))?.[1] ?? [],
  );
  return names.map((name) => name.slice("kanban_".length)).toSorted((a, b) => a.localeCompare(b));
};

const systemOf = (made: World, about: string): string => {
  const request = made.model.chats().find(({ body }) => JSON.stringify(body?.messages).includes(about));
  return String(request?.body?.messages.find((message) => message.role === "system")?.content);
};

/** Results of the board tools that the model has called, in order. */
const results = (made: World): readonly Record<string, unknown>[] =>
  (made.model.chats().at(-1)?.body?.messages ?? [])
    .filter((message) => message.role === "tool")
    .map((message) => JSON.parse(String(message.content)));

const rules: [title: string, config: string, tools: string][] = [
  ["a worker", "", "block comment complete heartbeat show"],
  [
    "every worker when they may create",
    "kanban:\n  worker_can_create: true\n",
    "block comment complete create heartbeat link show",
  ],
  [
    "the orchestrator",
    "kanban:\n  worker_can_create: orchestrator\n",
    "block comment complete create heartbeat link list show",
  ],
  [
    "a worker beside the orchestrator",
    "kanban:\n  worker_can_create: orchestrator\n  orchestrator_profile: boss\n",
    "block comment complete heartbeat show",
  ],
];

for (const [title, config, tools] of rules) {
  test(`${title} sees exactly its board tools, with the guidance of workers (check 98)`, async (t) => {
    proves(t, "tool.kanban.worker-gate");
    const made = await home(t, [call("kanban_complete", { summary: "done" })], config);
    if (config.includes("boss")) await made.run(["profile", "create", "boss"]);
    const { id } = await made.json<{ id: string }>("kanban", "create", "one", "--assignee", "default");
    await made.settled(id);
    assert.deepEqual(boardTools(made, id), tools.split(" "));
    assert.ok(systemOf(made, id).includes(WORKER_GUIDANCE) && WORKER_GUIDANCE.length < 4096);
  });
}

test("a conversation sees the tools of orchestrators when it has the toolset, and no guidance (check 98)", async (t) => {
  proves(t, "tool.kanban.orchestrator-gate");
  const made = await home(t, [{ text: "hello" }]);
  await made.run(["-z", "plain words"]);
  await made.run(["-z", "with the board", "-t", "kanban,file"]);
  assert.deepEqual(
    [boardTools(made, "plain words"), boardTools(made, "with the board")],
    [[], ["create", "link", "list", "show", "unblock"]],
  );
  assert.equal(systemOf(made, "with the board").includes(WORKER_GUIDANCE.slice(0, 40)), false);
});

test("a hidden tool is refused when it is called anyway, over the socket and by the command line of a worker (check 98)", async (t) => {
  const { D, J, Kwith, make, places, home: at } = await kanbanWorld(t);
  await D();
  const id = await make("mine", "--external");
  const other = await make("other", "--external");
  const claim = await J<ClaimAnswer>("claim", id);
  const client = await connect(at, {
    kind: "worker",
    version: "0",
    claim: { board: "default", task: id, run: claim.run_id, token: claim.token },
  });
  assert.ok(client);
  t.after(() => client.close());
  for (const [method, params] of Object.entries({
    create: { title: "x", assignee: "y" },
    link: {},
    list: {},
    unblock: { task_id: other },
  }))
    await assert.rejects(client.call("worker.tool", { method, params }), { code: "E_NOT_OWNER" });
  const env = { AGENT_KANBAN_TASK: id, AGENT_KANBAN_CLAIM: places.claim(claim.task.id, claim.run_id) };
  const hidden = [
    ["create", "x"],
    ["link", id, other],
    ["list"],
    ["unblock", other],
    ["assign", other, "bob"],
    ["archive", other],
    ["dispatch"],
  ];
  for (const line of hidden) {
    const { code, out } = await Kwith({ env }, ...line, "--json");
    assert.equal(code, 1, `${line.join(" ")}: ${out}`);
    assert.match(out, /E_NOT_OWNER/, line.join(" "));
  }
  for (const line of [
    ["show", other],
    ["comment", other, "see this"],
    ["heartbeat", id],
    ["complete", id, "--summary", "done"],
  ])
    assert.equal((await Kwith({ env }, ...line)).code, 0, line.join(" "));
  const inside = { AGENT_WORKER_MARK: "of-some-run" };
  assert.equal((await Kwith({ env: inside }, "list")).code, 0, "what a worker starts may look");
  const refused = await Kwith({ env: inside }, "comment", other, "hi");
  assert.deepEqual([refused.code, /kanban tools/.test(refused.err)], [1, true]);
});

test("a worker completes no task but its own, and may comment on any (check 99)", async (t) => {
  let other = "";
  const made = await home(t, (_request, turn) => {
    const replies = [
      call("kanban_complete", { task_id: other, summary: "not mine" }),
      call("kanban_comment", { task_id: other, body: "found this for you" }),
      call("kanban_complete", { summary: "mine is done" }),
    ];
    return replies[turn] ?? { text: "?" };
  });
  other = (await made.json<{ id: string }>("kanban", "create", "other", "--external")).id;
  const { id } = await made.json<{ id: string }>("kanban", "create", "mine", "--assignee", "default");
  const { task } = await made.settled(id);
  assert.equal(task.status, "done");
  const [refused, stored] = results(made);
  assert.deepEqual([refused?.["code"], stored?.["ok"]], ["E_NOT_OWNER", true]);
  assert.match(String(refused?.["error"]), /comment/);
  const view = await made.json<TaskView>("kanban", "show", other);
  assert.deepEqual(
    [view.task.status, view.comments.map(({ author, author_kind, text }) => [author, author_kind, text])],
    ["ready", [["default", "worker", "found this for you"]]],
  );
});

test("a declared artifact is stored before its task is done, and the event names it (check 100)", async (t) => {
  const made = await home(t, [
    call("write_file", { path: "out/report.txt", content: "all well\n" }),
    call("kanban_complete", { summary: "wrote it", artifacts: "out/report.txt" }),
  ]);
  const { id } = await made.json<{ id: string }>("kanban", "create", "report", "--assignee", "default");
  const done = await made.event((event) => event.task_id === id && event.event === "completed");
  const { attachments, task } = await made.json<TaskView>("kanban", "show", id);
  const [file] = attachments;
  assert.deepEqual([done.data["artifacts"], file?.filename, task.status], [[file?.id], "report.txt", "done"]);
  const path = join(made.home.root, "kanban", "attachments", file?.stored_path ?? "");
  assert.ok(existsSync(path), path);
  assert.equal(readFileSync(path, "utf8"), "all well\n");
});

test("of 40 long comments the newest 30 are in the context, each cut, and one line counts the others (check 101)", async (t) => {
  const { J, K, make, D } = await kanbanWorld(t);
  await D();
  const id = await make("talk", "--external");
  for (let n = 0; n < 40; n++) await K("comment", id, `${n} ${"x".repeat(5 * 1024)}`);
  const { out, code } = await K("context", id);
  assert.equal(code, 0);
  assert.equal(out.match(/^comment from human `user` at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ:$/gm)?.length, 30);
  assert.equal(out.match(/… \[truncated, \d+ chars omitted\]$/gm)?.length, 30);
  assert.ok(out.split("\n").every((line) => line.length <= 2048 + 50));
  assert.equal(out.match(/10 older comments omitted/g)?.length, 1);
  assert.equal((await J<{ context: string }>("context", id)).context.trimEnd(), out.trimEnd());
});

test("a secret that a worker writes is stored and told without itself (check 102)", async (t) => {
  const secret = "hunter2-correct-horse-battery";
  const made = await home(
    t,
    [
      call("kanban_comment", { text: `the key is ${secret}` }),
      call("kanban_complete", {
        summary: `with ${secret}`,
        metadata: { nested: { key: secret, list: [`a ${secret}`] } },
      }),
    ],
    `platforms:\n  some:\n    token: ${secret}\n`,
  );
  const { id } = await made.json<{ id: string }>("kanban", "create", "leak", "--assignee", "default");
  await made.settled(id);
  const { out } = await made.run(["kanban", "show", id, "--json"]);
  const context = await made.run(["kanban", "context", id]);
  const view: TaskView = JSON.parse(out);
  assert.equal(view.task.status, "done");
  assert.equal(`${out}${context.out}`.includes(secret), false);
  assert.match(
    JSON.stringify(view.runs[0]?.metadata),
    /^\{"nested":\{"key":"\[secret:\w+\]","list":\["a \[secret:\w+\]"\]\}\}$/,
  );
  assert.match(`${view.latest_summary}${view.comments[0]?.text}`, /with \[secret:\w+\]the key is \[secret:\w+\]/);
});
