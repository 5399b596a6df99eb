import assert from "node:assert/strict";
import { test } from "node:test";
import { type KanbanWorld, kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { proves } from "../../../fixtures/requirements.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { graphAnswer } from "../../../fixtures/sim/board-aux.js";
import type { DecomposeOutcome, SpecifyOutcome, Swarm } from "../../contracts/board/orchestration.js";
import type { DescribeOutcome, ProfileRecord } from "../../contracts/config/profiles.js";

const CHAIN = { text: graphAnswer({ title: "one" }, { title: "two", parents: [0] }) };

/** A line of specify or decompose, whatever its exit code. */
async function line<T extends SpecifyOutcome>(
  { K }: KanbanWorld,
  ...args: readonly string[]
): Promise<T & { exit: number }> {
  const { code, out } = await K(...args, "--json");
  assert.match(out, /^\{.*\}\n$/);
  return { ...JSON.parse(out), exit: code };
}

const decompose = (world: KanbanWorld, id: string) => line<DecomposeOutcome>(world, "decompose", id);

test("without a model a task stays in triage and the reason is told (check 77)", async (t) => {
  proves(t, "board.decompose.no-client");
  const world = await kanbanWorld(t);
  const id = await world.make("idea", "--triage");
  const { code, out } = await world.K("specify", id, "--json");
  const wanted = { task_id: id, ok: false, reason: "no auxiliary client configured", new_title: null };
  assert.deepEqual([code, out], [1, `${JSON.stringify(wanted)}\n`]);
  const plain = await world.K("decompose", id);
  assert.deepEqual([plain.code, plain.err], [1, `kanban: decompose ${id}: no auxiliary client configured\n`]);
  assert.equal((await world.show(id)).task.status, "triage");
  const { reasons } = await world.J<{ reasons: { code: string }[] }>("why", id);
  assert.equal(reasons[0]?.code, "triage_no_client");
});

test("what specify is told is checked, a done task is refused with its status, and nothing to do is no failure (checks 78 and 79)", async (t) => {
  const world = await kanbanWorld(t);
  const id = await world.make("x");
  await world.K("complete", id);
  assert.equal((await world.K("specify")).code, 2);
  assert.equal((await world.K("specify", id, "--all")).code, 2);
  const { exit, reason } = await line(world, "specify", id);
  assert.deepEqual([exit, reason], [1, "task is not in triage (status='done')"]);
  const { code, out } = await world.K("specify", "--all", "--tenant", "zz", "--json");
  assert.deepEqual([code, JSON.parse(out)], [0, { specified: 0, total: 0 }]);
});

test("prose becomes the body of a task that had none (check 80)", async (t) => {
  proves(t, "board.specify.malformed");
  const world = await kanbanWorld(t, { aux: [{ text: "Just do it well." }] });
  const id = await world.make("idea", "--triage");
  assert.deepEqual(await line(world, "specify", id), {
    task_id: id,
    ok: true,
    reason: "specified",
    new_title: null,
    exit: 0,
  });
  const { task } = await world.show(id);
  assert.deepEqual([task.title, task.body, task.status], ["idea", "Just do it well.", "ready"]);
});

test("a chain of two holds the root until it is done, and then the orchestrator is woken (checks 81 and 84)", async (t) => {
  proves(
    t,
    "board.decompose.graph",
    "board.decompose.one-transaction",
    "config.kanban.orchestrator-profile",
    "board.root.ready-after-children",
  );
  const world = await kanbanWorld(t, { aux: [CHAIN], kanban: { orchestrator_profile: "boss", auto_decompose: false } });
  await world.json("profile", "create", "boss");
  const id = await world.make("big", "--triage");
  const { child_ids } = await decompose(world, id);
  const [one = "", two = ""] = child_ids ?? [];
  const root = await world.show(id);
  assert.deepEqual([root.task.status, root.task.assignee, root.task.parents], ["todo", "boss", [two]]);
  assert.deepEqual([(await world.show(one)).task.status, (await world.show(two)).task.status], ["ready", "todo"]);
  assert.equal(root.events.filter((event) => event.kind === "decomposed").length, 1);
  assert.equal(root.comments.length, 1);
  for (const child of [one, two]) assert.equal((await world.K("complete", child)).code, 0);
  assert.equal((await world.show(id)).task.status, "ready");
  await world.D();
  // Runs 1 and 2 are those of the children.
  assert.deepEqual((await world.told(id, 3)).argv.slice(0, 2), ["-p", "boss"]);
});

test("one task that is enough is specified and assigned, and text that is no JSON changes nothing (checks 82 and 83)", async (t) => {
  proves(t, "board.decompose.no-fanout");
  const single = JSON.stringify({ fanout: false, rationale: "small", title: "Do it", body: "all of it" });
  const world = await kanbanWorld(t, { aux: [{ text: single }, { text: "I would rather talk." }] });
  const id = await world.make("idea", "--triage");
  const { exit, reason, child_ids, fanout, new_title } = await decompose(world, id);
  assert.deepEqual([exit, reason, child_ids, fanout, new_title], [0, "single task (no fanout)", null, false, "Do it"]);
  const { task } = await world.show(id);
  assert.deepEqual([task.status, task.children, task.assignee], ["ready", [], "default"]);
  const other = await world.make("idea", "--triage");
  const failed = await decompose(world, other);
  assert.deepEqual([failed.exit, failed.ok, failed.reason], [1, false, "LLM returned malformed JSON"]);
  assert.equal((await world.show(other)).task.status, "triage");
});

test("by itself a triage task is decomposed, but not one that opted out (check 85)", async (t) => {
  proves(t, "config.kanban.auto-decompose");
  const world = await kanbanWorld(t, { aux: [CHAIN], kanban: { auto_decompose_settle_seconds: 1 } });
  await world.D();
  const out = await world.make("mine", "--triage", "--no-auto");
  const id = await world.make("big", "--triage");
  await world.event((event) => event.event === "decomposed" && event.task_id === id);
  const { reasons } = await world.J<{ reasons: { code: string }[] }>("why", out);
  assert.deepEqual([(await world.show(out)).task.status, reasons[0]?.code], ["triage", "triage_opted_out"]);
  const { comments } = await world.show(id);
  assert.deepEqual([comments[0]?.author, comments[0]?.author_kind], ["auto-decomposer", "system"]);
});

test("switched off while the owner works, no attempt begins until it is switched on again (check 86)", async (t) => {
  const world = await kanbanWorld(t, { aux: [CHAIN], kanban: { auto_decompose_settle_seconds: 0 } });
  await world.D();
  assert.equal((await world.run(["config", "set", "kanban.auto_decompose", "false"])).code, 0);
  const id = await world.make("big", "--triage");
  const { reasons } = await world.J<{ reasons: { code: string }[] }>("why", id);
  assert.equal(reasons[0]?.code, "triage_manual");
  assert.equal(world.model.chats().length, 0);
  await world.run(["config", "set", "kanban.auto_decompose", "true"]);
  await world.event((event) => event.event === "decomposed" && event.task_id === id);
  assert.equal(world.model.chats().length, 1);
});

test("an owner that is killed while the model thinks leaves the task as it was, and the next one tries again", async (t) => {
  proves(t, "board.decompose.one-transaction");
  const world = await kanbanWorld(t, { aux: [{ hold: "never" }, CHAIN], kanban: { auto_decompose_settle_seconds: 0 } });
  const first = await world.D();
  const id = await world.make("big", "--triage");
  await world.model.arrived(1);
  await first.end("SIGKILL");
  const before = (await world.show(id)).task;
  assert.deepEqual([before.status, before.decompose_attempts], ["triage", 0]);
  await world.D();
  await world.event((event) => event.event === "decomposed" && event.task_id === id);
  const { task, events } = await world.show(id);
  assert.deepEqual([task.parents.length, events.filter((event) => event.kind === "decompose_failed").length], [1, 0]);
  assert.equal((await world.J<unknown[]>("list")).length, 3);
});

test("while a model thinks tasks are started as ever, and an owner that is told to stop does not wait for it", async (t) => {
  const world = await kanbanWorld(t, { aux: [{ hold: "never" }], kanban: { auto_decompose_settle_seconds: 0 } });
  const owner = await world.D();
  const id = await world.make("big", "--triage");
  await world.model.arrived(1);
  const busy = await line(world, "decompose", id);
  assert.deepEqual([busy.exit, busy.reason], [1, "already in progress"]);
  await world.told(await world.make("other"));
  // An owner that waited for the answer would be killed in the end.
  assert.equal((await owner.end("SIGINT")).code, 0);
  const { task, events } = await world.show(id);
  assert.deepEqual([task.status, task.decompose_attempts, events.length], ["triage", 0, 1]);
});

test("what a board says about decomposing wins over the settings, while the owner works", async (t) => {
  const world = await kanbanWorld(t, { aux: [CHAIN], kanban: { auto_decompose_settle_seconds: 0 } });
  await world.D();
  await world.J("boards", "set", "default", "--orchestration", "manual");
  const id = await world.make("big", "--triage");
  const { reasons } = await world.J<{ reasons: { code: string }[] }>("why", id);
  assert.deepEqual([reasons[0]?.code, world.model.chats().length], ["triage_manual", 0]);
  await world.run(["config", "set", "kanban.auto_decompose", "false"]);
  await world.J("boards", "set", "default", "--orchestration", "auto");
  await world.event((event) => event.event === "decomposed" && event.task_id === id);
});

test("a description that someone wrote is replaced only when that is asked for (check 87)", async (t) => {
  proves(t, "cli.profile.describe", "profile.description-protected", "profile.description-auto");
  const world = await kanbanWorld(t, { aux: [{ text: '{"description": "Generated."}' }] });
  const profile = async (...args: readonly string[]) => {
    const { code, out } = await world.run(["profile", ...args, "--json"]);
    return { code, ...(JSON.parse(out) as DescribeOutcome) };
  };
  assert.equal((await world.json<ProfileRecord>("profile", "create", "p")).description, "");
  const written = await profile("describe", "p", "--text", "By hand.");
  assert.deepEqual([written.code, written.description, written.description_auto], [0, "By hand.", false]);
  const refused = await profile("describe", "p", "--auto");
  assert.deepEqual([refused.code, refused.reason], [1, "description was written by a user (use --overwrite)"]);
  const replaced = await profile("describe", "p", "--auto", "--overwrite");
  assert.deepEqual([replaced.code, replaced.description, replaced.description_auto], [0, "Generated.", true]);
  assert.equal((await world.run(["profile", "describe", "p"])).out, "Generated.\n");
  for (const wrong of [
    ["p", "--text", "x", "--auto"],
    ["p", "--all"],
    ["--all", "--text", "x"],
  ])
    assert.equal((await world.run(["profile", "describe", ...wrong])).code, 2);
  const inside = { env: { AGENT_WORKER_MARK: "m" } };
  for (const changing of [
    ["create", "q"],
    ["describe", "p", "--text", "x"],
  ]) {
    const { code, err } = await world.run(["profile", ...changing], inside);
    assert.deepEqual(
      [code, err.split("\n")[0]],
      [1, `agent: agent profile ${changing[0]} is not available to processes started by the agent's tools`],
    );
  }
  const all = await world.run(["profile", "describe", "--all", "--auto"]);
  assert.deepEqual([all.code, all.out], [0, "Described default: Generated.\nDescribed p: Generated.\n"]);
});

test("a swarm with one key is made once, and its tasks wait for one another (check 88)", async (t) => {
  const world = await kanbanWorld(t);
  const argv = [
    "swarm",
    "g",
    "--worker",
    "a:one",
    "--worker",
    "b:two",
    "--verifier",
    "v",
    "--synthesizer",
    "s",
    "--idempotency-key",
    "k",
  ];
  const first = await world.J<Swarm>(...argv);
  assert.deepEqual(await world.J<Swarm>(...argv), { ...first, created: false });
  assert.deepEqual([...(await world.show(first.verifier_id)).task.parents].sort(), [...first.worker_ids].sort());
  assert.deepEqual((await world.show(first.synthesizer_id)).task.parents, [first.verifier_id]);
  assert.deepEqual((await world.J<unknown[]>("list")).length, 5);
});

test("a task that waited for a profile starts as soon as the profile is made", async (t) => {
  const world = await kanbanWorld(t, { kanban: { dispatch_interval_seconds: 3600 } });
  await world.D();
  const id = await world.make("x", "--assignee", "newbie");
  await world.json("profile", "create", "newbie", "--description", "New here.");
  const { argv, env } = await world.told(id);
  assert.deepEqual(argv.slice(0, 2), ["-p", "newbie"]);
  assert.ok(env["AGENT_HOME"]?.endsWith("/profiles/newbie"));
  const list = await world.json<ProfileRecord[]>("profile", "list");
  assert.deepEqual(
    list.map(({ name, description, is_current, owner_running }) => [name, description, is_current, owner_running]),
    [
      ["default", "", true, true],
      ["newbie", "New here.", false, false],
    ],
  );
});

test("each slot has a model of its own, and what the three do is on record", async (t) => {
  proves(t, "config.auxiliary.slots", "board.task.body", "board.event.kinds");
  const server = await startModelServer();
  t.after(() => server.close());
  const slot = (name: string) => `{ base_url: ${server.url}, model: "script:${name}" }`;
  const slots = { triage_specifier: "spec", kanban_decomposer: "fan", profile_describer: "description" };
  const lines = Object.entries(slots).map(([name, script]) => `  ${name}: ${slot(script)}\n`);
  const world = await kanbanWorld(t, {
    config: `auxiliary:\n${lines.join("")}`,
    kanban: { auto_decompose: false },
    mode: "exit0",
  });
  const id = await world.make("release notes", "--triage");
  const big = await world.make("big", "--triage");
  assert.equal((await line(world, "specify", id)).new_title, "Write the release notes");
  assert.equal((await decompose(world, big)).child_ids?.length, 3);
  const { out } = await world.run(["profile", "describe", "default", "--auto"]);
  assert.equal(out, "Described default: Writes short texts and keeps lists.\n");
  assert.deepEqual(
    server.requests.filter((request) => request.body !== undefined).map((request) => request.body?.model),
    ["script:spec", "script:fan", "script:description"],
  );
  const { body } = (await world.show(id)).task;
  const headings = body?.split("\n").filter((text) => text.startsWith("## "));
  assert.deepEqual(headings, ["## Goal", "## Approach", "## Acceptance criteria", "## Out of scope"]);
  await world.D();
  await world.settled(id);
  const kinds = async (of: string) => (await world.show(of)).events.map((event) => event.kind);
  for (const kind of ["created", "specified", "promoted", "protocol_violation"])
    assert.ok((await kinds(id)).includes(kind), kind);
  assert.ok((await kinds(big)).includes("decomposed"));
});
