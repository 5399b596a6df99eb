import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { graphAnswer, setupPlanner } from "../../fixtures/sim/board-aux.js";
import { kanban } from "../../fixtures/sim/board-cli.js";
import { type BoardWorld, DEFAULT, USER } from "../../fixtures/sim/board-world.js";

const make = async (world: BoardWorld, title = "idea", tenant?: string) =>
  (await world.board.create(DEFAULT, { title, triage: true, tenant }, USER)).task.id;

const SPEC = '{"title": "Do it", "body": "b"}';

test("specify tells one line per task, goes on past failures and fails only when all fail", async (t) => {
  proves(t, "cli.kanban.specify");
  const { world, aux } = setupPlanner(t, { said: [SPEC, "{}", '{"body": "c"}'] });
  const ids = [await make(world, "a"), await make(world, "b"), await make(world, "c")];
  const all = await kanban(world, ["specify", "--all", "--author", "me"]);
  assert.equal(all.out, `Specified ${ids[0]} → todo — retitled: 'Do it'\nSpecified ${ids[2]} → todo\n`);
  assert.deepEqual([all.err, all.code], [`kanban: specify ${ids[1]}: LLM response missing title and body\n`, 0]);
  aux.say("{}");
  const again = await kanban(world, ["specify", "--all", "--json"]);
  const line = { task_id: ids[1], ok: false, reason: "LLM response missing title and body", new_title: null };
  assert.deepEqual([again.out, again.err, again.code], [`${JSON.stringify(line)}\n`, "", 1]);
});

test("decompose tells the children, or that one task was enough", async (t) => {
  proves(t, "cli.kanban.decompose");
  const single = '{"fanout": false, "title": "T", "body": "b"}';
  const { world } = setupPlanner(t, { said: [graphAnswer({ title: "a" }, { title: "b" }), single, "prose"] });
  const one = await make(world);
  const two = await make(world);
  const three = await make(world);
  const split = await kanban(world, ["decompose", one]);
  assert.match(
    split.out,
    new RegExp(`^Decomposed ${one} → 2 children \\(t_[0-9a-f]{8}, t_[0-9a-f]{8}\\); root promoted to todo\n$`),
  );
  assert.equal((await kanban(world, ["decompose", two])).out, `Specified ${two} → todo (no fanout) — retitled: 'T'\n`);
  const failed = await kanban(world, ["decompose", three]);
  assert.deepEqual(
    [failed.out, failed.err, failed.code],
    ["", `kanban: decompose ${three}: LLM returned malformed JSON\n`, 1],
  );
  const json = await kanban(world, ["decompose", three, "--json"]);
  const keys = ["task_id", "ok", "reason", "new_title", "fanout", "child_ids"];
  assert.deepEqual([Object.keys(json.json()), json.out.split("\n").length, json.code], [keys, 2, 1]);
});

/** Command line, exit code, what is on standard output and error. */
const LINES: readonly [readonly string[], number, string, RegExp][] = [
  [["specify"], 2, "", /needs a task id or --all/],
  [["specify", "x", "--all"], 2, "", /exclude each other/],
  [["specify", "x", "--tenant", "t"], 2, "", /--tenant requires --all/],
  [["decompose"], 2, "", /needs a task id or --all/],
  [["specify", "--all"], 0, "No triage tasks.\n", /^$/],
  [["decompose", "--all", "--tenant", "zz"], 0, "No triage tasks for tenant 'zz'.\n", /^$/],
  [["specify", "--all", "--tenant", "zz", "--json"], 0, '{"specified":0,"total":0}\n', /^$/],
  [["decompose", "--all", "--json"], 0, '{"decomposed":0,"total":0}\n', /^$/],
  [["specify", "t_00000000"], 1, "", /^kanban: specify t_00000000: unknown task id\n$/],
  [["swarm", "g", "--verifier", "v", "--synthesizer", "s"], 2, "", /missing --worker/],
  [["swarm", "g", "--worker", "a", "--verifier", "v", "--synthesizer", "s"], 2, "", /--worker must be PROFILE:TITLE/],
  [["swarm", "g", "--worker", ":t", "--verifier", "v", "--synthesizer", "s"], 2, "", /--worker must be PROFILE:TITLE/],
  [["swarm", "g", "--worker", "a:t", "--synthesizer", "s"], 2, "", /missing --verifier/],
];

for (const [argv, code, out, err] of LINES) {
  test(`kanban ${argv.join(" ")} ends with ${code}`, async (t) => {
    const { world } = setupPlanner(t, { said: [SPEC] });
    await world.board.create(DEFAULT, { title: "x" }, USER);
    const ran = await kanban(world, argv);
    assert.deepEqual([ran.code, ran.out], [code, out]);
    assert.match(ran.err, err);
  });
}

test("a swarm is reported by its ids, and titles may have colons", async (t) => {
  const { world } = setupPlanner(t);
  const workers = ["--worker", "alice:fix: the bug", "--worker", "bob:write:s1,s2", "--worker", "bob:a:b"];
  const argv = ["swarm", "goal", ...workers, "--verifier", "alice", "--synthesizer", "bob", "--json"];
  const swarm = (await kanban(world, argv)).json<{ worker_ids: string[]; root_id: string; created: boolean }>();
  const tasks = await Promise.all(swarm.worker_ids.map((id) => world.board.task(DEFAULT, id as never)));
  assert.deepEqual(
    tasks.map((task) => [task.title, task.skills]),
    [
      ["fix: the bug", []],
      ["write", ["s1", "s2"]],
      ["a", ["b"]],
    ],
  );
});

test("inside a worker nothing is specified, decomposed or swarmed", async (t) => {
  const { world } = setupPlanner(t, { said: [SPEC] });
  const id = await make(world);
  const env = { AGENT_WORKER_MARK: "m" };
  for (const argv of [
    ["specify", id],
    ["decompose", "--all"],
    ["swarm", "g", "--worker", "a:t", "--verifier", "v", "--synthesizer", "s"],
  ]) {
    const ran = await kanban(world, [...argv, "--json"], { env });
    assert.deepEqual([ran.code, ran.json<{ error: { code: string } }>().error.code], [1, "E_NOT_OWNER"]);
  }
  assert.equal((await world.board.task(DEFAULT, id)).status, "triage");
});
