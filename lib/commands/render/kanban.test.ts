import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { kanban } from "../../../fixtures/sim/board-cli.js";
import { type BoardWorld, setupBoard } from "../../../fixtures/sim/board-world.js";
import type { Task } from "../../contracts/board/board.js";
import { parseDuration, parseTime } from "./times.js";

const NEW = /^Created (t_[0-9a-f]{8}) {2}\((\w+), assignee=([^)]+)\)\n$/;

async function make(world: BoardWorld, ...argv: string[]): Promise<string> {
  const made = await kanban(world, ["create", ...argv]);
  assert.equal(made.code, 0, made.err);
  return NEW.exec(made.out)?.[1] ?? assert.fail(made.out);
}

test("list on a fresh home says that there is nothing and makes nothing", async (t) => {
  const world = setupBoard(t);
  const { out, code } = await kanban(world, ["list"]);
  assert.deepEqual([out, code], ["(no matching tasks)\n", 0]);
  assert.equal(existsSync(join(world.root, "kanban.db")), false);
});

test("create prints id, status and assignee, and as JSON the task", async (t) => {
  proves(t, "board.create.triage");
  const world = setupBoard(t);
  assert.match(
    (await kanban(world, ["create", "x", "--triage"])).out,
    /^Created t_[0-9a-f]{8} {2}\(triage, assignee=-\)\n$/,
  );
  const { out, code } = await kanban(world, [
    "create",
    "  padded  ",
    "--json",
    "--skill",
    "a",
    "--skill",
    "b",
    "--skill",
    "a",
  ]);
  const task = JSON.parse(out) as Task & { created: boolean; warnings: string[] };
  assert.deepEqual(
    [task.title, task.status, task.skills, task.created, code],
    ["padded", "ready", ["a", "b"], true, 0],
  );
});

test("the same key gives the same task until it is archived", async (t) => {
  proves(t, "board.task.idempotency-key");
  const world = setupBoard(t);
  const id = await make(world, "dup", "--idempotency-key", "k1");
  assert.equal(
    (await kanban(world, ["create", "dup", "--idempotency-key", "k1"])).out,
    `Already exists: ${id}  (ready, assignee=-)\n`,
  );
  assert.equal((await kanban(world, ["archive", id])).out, `Archived ${id}\n`);
  assert.notEqual(await make(world, "dup", "--idempotency-key", "k1"), id);
});

test("an assignee that is no profile is warned about, unless it is external", async (t) => {
  const world = setupBoard(t);
  const warned = await kanban(world, ["create", "x", "--assignee", "Carol", "--json"]);
  assert.deepEqual(warned.json()["assignee"], "carol");
  assert.match(
    String(warned.json<{ warnings: string[] }>().warnings[0]),
    /profile carol does not exist; the task will wait/,
  );
  assert.match(
    (await kanban(world, ["create", "x", "--assignee", "carol"])).err,
    /^kanban: profile carol does not exist/,
  );
  assert.deepEqual(
    (await kanban(world, ["create", "x", "--assignee", "carol", "--external", "--json"])).json()["warnings"],
    [],
  );
});

/** Command line, exit code, message. */
const BAD: readonly [readonly string[], number, RegExp][] = [
  [["create", ""], 1, /^kanban: title is required\n/],
  [["create", "   "], 1, /title is required/],
  [["create"], 2, /title/],
  [["create", "x", "--parent", "t_00000000"], 1, /unknown parent task\(s\): t_00000000/],
  [["create", "x", "--max-runtime", "soon"], 2, /invalid duration/],
  [["create", "x", "--max-runtime", "0"], 2, /invalid duration/],
  [["create", "x", "--max-retries", "0"], 2, /max-retries/],
  [["create", "x", "--max-retries", "two"], 2, /max-retries/],
  [["create", "x", "--skill", "a,b", "--skill", "Terminal"], 1, /'a,b'.*'Terminal'/],
  [["create", "x", "--workspace", "foo"], 2, /unknown --workspace value/],
  [["create", "x", "--workspace", "dir:relative"], 2, /absolute path/],
  [["create", "x", "--branch", "b"], 2, /--branch requires --workspace worktree/],
  [["create", "x", "--workspace", "worktree", "--branch", "-x"], 2, /branch/],
  [["create", "x", "--workspace", "worktree", "--branch", "a b"], 2, /invalid branch name/],
  [["create", "x", "--at", "2001-01-01"], 2, /in the past/],
  [["create", "x", "--at", "tomorrowish"], 2, /invalid time/],
  [["create", "x", "--triage", "--at", "+1h"], 2, /--triage/],
  [["create", "x", "--triage", "--initial-status", "blocked"], 2, /--triage/],
  [["create", "x", "--assignee", "two words"], 1, /invalid assignee/],
  [["create", "x", "--body", "a", "--body-file", "b"], 2, /exclude each other/],
  [["create", "x", "--body-file", "/nonexistent"], 2, /no such file/],
  [["create", "x", "--nope"], 2, /unknown option '--nope'/],
  [["create", "t".repeat(301)], 1, /title is too long: 301 \(limit 300\)/],
  [["list", "--status", "bogus"], 2, /unknown status 'bogus'/],
  [["list", "--sort", "bogus"], 2, /sort/],
  [["list", "--limit", "0"], 2, /limit/],
  [["show", "nope"], 1, /no such task: nope/],
  [["show", "t_12345678", "--state-type", "status"], 2, /must be used together/],
  [["runs", "nope"], 1, /no such task: nope/],
  [["log", "nope"], 1, /no such task: nope/],
  [["tail", "nope"], 1, /no such task: nope/],
  [["context", "nope"], 1, /no such task: nope/],
  [["complete", "nope"], 1, /cannot complete nope: unknown id/],
  [["complete"], 2, /ids/],
  [["complete", "a", "--metadata", "[1]"], 2, /--metadata must be a JSON object/],
  [["complete", "a", "--metadata", "{"], 2, /--metadata must be a JSON object/],
  [["complete", "a", "b", "--summary", "s"], 2, /require a single task/],
  [["complete", "a", "--outcome", "maybe"], 2, /outcome/],
  [["block", "nope", "x"], 1, /cannot block nope: unknown id/],
  [["unblock", "nope"], 1, /cannot unblock nope: unknown id/],
  [["archive", "nope"], 1, /cannot archive nope: unknown id/],
  [["comment", "nope", "x"], 1, /unknown task nope/],
  [["comment", "nope", "x", "--max-len", "0"], 2, /max-len/],
  [["claim", "nope"], 1, /no such task: nope/],
  [["claim", "nope", "--ttl", "0"], 2, /ttl/],
  [["assign", "nope", "bob"], 1, /no such task: nope/],
  [["link", "nope", "nix"], 1, /unknown task\(s\): nope, nix/],
  [["heartbeat", "nope"], 1, /no such task: nope/],
  [["schedule", "nope", "--at", "never"], 2, /invalid time/],
  [["boards", "create", "bad slug"], 2, /invalid board slug/],
  [["boards", "switch", "nope"], 1, /no board 'nope'/],
  [["--board", "nope", "list"], 1, /no board 'nope' \(agent kanban boards create nope creates it\)/],
  [["--board", "BAD!", "list"], 2, /invalid board slug/],
  [["crate", "x"], 2, /unknown command 'crate', did you mean 'create'/],
  [["dispatch", "--max", "-1"], 2, /max/],
];

for (const [argv, code, message] of BAD) {
  test(`refused with ${code}: kanban ${argv.join(" ").slice(0, 80)}`, async (t) => {
    const world = setupBoard(t);
    const printed = await kanban(world, argv);
    assert.equal(printed.out, "");
    assert.match(printed.err, message);
    assert.ok(
      printed.err.split("\n").every((line) => line === "" || line.startsWith("kanban: ")),
      printed.err,
    );
    assert.equal(printed.code, code);
    const json = await kanban(world, [...argv, "--json"]);
    assert.equal(json.code, code);
    const answer = json.json<{
      error?: { code: string; message: string };
      results?: { error: { code: string; message: string } }[];
    }>();
    assert.match(`kanban: ${(answer.error ?? answer.results?.[0]?.error)?.message}\n`, message);
    assert.deepEqual((await kanban(world, ["list", "--archived", "--json"])).json(), [], "nothing was made");
  });
}

test("a claimed task refuses a second claim with its lock, an assignment, and accepts a heartbeat", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "x");
  const claimed = await kanban(world, ["claim", id]);
  assert.equal(claimed.out, `Claimed ${id}\nWorkspace: ${join(world.root, "kanban", "workspaces", id)}\n`);
  assert.match(
    (await kanban(world, ["claim", id])).err,
    new RegExp(`^kanban: cannot claim ${id}: status=running lock=\\S+:\\d+\n`),
  );
  const assign = await kanban(world, ["assign", id, "bob"]);
  assert.match(assign.err, new RegExp(`cannot reassign ${id}: currently running`));
  assert.equal(assign.code, 1);
  assert.equal((await kanban(world, ["heartbeat", id, "--note", "hi"])).out, `Heartbeat recorded for ${id}\n`);
  const blocked = await kanban(world, ["block", id, "need", "input"]);
  assert.equal(blocked.out, `Blocked ${id}: need input\n`);
  const view = (await kanban(world, ["show", id, "--json"])).json<{
    comments: { text: string }[];
    task: Task;
    runs: { outcome: string }[];
  }>();
  assert.deepEqual(
    [view.task.block_kind, view.comments[0]?.text, view.runs[0]?.outcome],
    ["human", "BLOCKED: need input", "blocked"],
  );
  assert.equal((await kanban(world, ["unblock", id])).out, `Unblocked ${id} -> ready\n`);
  const again = await kanban(world, ["unblock", id]);
  assert.deepEqual(
    [again.code, again.err.split("\n")[0]],
    [1, `kanban: cannot unblock ${id} (not blocked/scheduled?)`],
  );
  assert.equal((await kanban(world, ["heartbeat", id])).code, 1);
});

test("a child that waits cannot be claimed, and says so", async (t) => {
  const world = setupBoard(t);
  const parent = await make(world, "a");
  const child = await make(world, "b", "--parent", parent.slice(0, 6) === parent ? parent : parent);
  const claim = await kanban(world, ["claim", child]);
  assert.equal(claim.err.split("\n")[0], `kanban: cannot claim ${child}: status=todo lock=(none)`);
  const { out } = await kanban(world, ["list"]);
  assert.equal(
    out,
    [
      `▶ ${parent}  ready      ${"(unassigned)".padEnd(20)}  a`,
      `◻ ${child}  todo       ${"(unassigned)".padEnd(20)}  b  (waits for ${parent})\n`,
    ].join("\n"),
  );
});

test("a batch goes on after a failure and answers for each id in order", async (t) => {
  const world = setupBoard(t);
  const a = await make(world, "a");
  const b = await make(world, "b");
  const done = await kanban(world, ["complete", a, "nope", b, "--result", "ok", "--json"]);
  assert.equal(done.code, 1);
  const { results } = done.json<{
    results: { task_id: string; ok: boolean; status: string | null; error: { code: string } | null }[];
  }>();
  assert.deepEqual(
    results.map((row) => [row.task_id, row.ok, row.status, row.error?.code ?? null]),
    [
      [a, true, "done", null],
      ["nope", false, null, "E_NOT_FOUND"],
      [b, true, "done", null],
    ],
  );
  const twice = await kanban(world, ["complete", a]);
  assert.match(twice.err, new RegExp(`cannot complete ${a}: status is done`));
});

test("an outside worker beats, comments and completes with run and token, once", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "x", "--external");
  const claim = (await kanban(world, ["claim", id, "--json"])).json<{
    run_id: number;
    token: string;
    workspace: string;
  }>();
  const proof = ["--run", String(claim.run_id), "--token", claim.token];
  assert.equal((await kanban(world, ["heartbeat", id, ...proof])).code, 0);
  assert.equal((await kanban(world, ["comment", id, "half", "way", ...proof])).code, 0);
  assert.equal((await kanban(world, ["complete", id, "--summary", "s", ...proof])).out, `Completed ${id}\n`);
  const lost = await kanban(world, ["complete", id, "--summary", "s", ...proof, "--json"]);
  assert.equal(lost.json<{ results: { error: { code: string } }[] }>().results[0]?.error.code, "E_CLAIM_LOST");
  assert.equal(world.stopper.stopped.length, 0, "nobody was stopped: the worker itself completed it");
});

test("inside a worker its claim file speaks, and a program without it may only look", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "x");
  const other = await make(world, "y");
  await kanban(world, ["claim", id]);
  const [run] = await world.board.openRuns("default" as never);
  const file = join(world.root, "kanban", "runs", `${id}.${run?.id}.claim`);
  const worker = { AGENT_KANBAN_CLAIM: file, AGENT_WORKER_MARK: "m", AGENT_PROFILE: "default" };
  const foreign = await kanban(world, ["complete", other, "--summary", "s", "--json"], { env: worker });
  assert.equal(foreign.json<{ results: { error: { code: string } }[] }>().results[0]?.error.code, "E_NOT_OWNER");
  const bare = await kanban(world, ["comment", id, "hi"], { env: { AGENT_WORKER_MARK: "m" } });
  assert.match(bare.err, /may only read the board\nkanban: use the worker's kanban tools/);
  assert.equal((await kanban(world, ["list"], { env: { AGENT_WORKER_MARK: "m" } })).code, 0);
  assert.equal((await kanban(world, ["create", "z"], { env: worker })).code, 1);
  for (const words of [
    ["boards", "create", "b"],
    ["boards", "pause"],
    ["dispatch"],
    ["archive", id],
    ["assign", other, "bob"],
  ]) {
    const refused = await kanban(world, words, { env: worker });
    assert.deepEqual([refused.code, /may not/.test(refused.err)], [1, true], words.join(" "));
  }
  assert.equal((await kanban(world, ["complete", id, "--summary", "s"], { env: worker })).code, 0);
  assert.equal(existsSync(file), false, "the claim file is gone with the run");
});

test("show tells fields, links, comments, events and runs; runs and log have their words for nothing", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "title", "--body", "line one\nline two", "--max-retries", "3");
  assert.equal((await kanban(world, ["runs", id])).out, `(no runs yet for ${id})\n`);
  const log = await kanban(world, ["log", id]);
  assert.deepEqual([log.code, log.out], [1, ""]);
  assert.match(log.err, new RegExp(`\\(no log for ${id}\\)`));
  await kanban(world, ["comment", id, "a", "remark"]);
  await kanban(world, ["complete", id, "--summary", "did it"]);
  const { out } = await kanban(world, ["show", id.slice(0, 10)]);
  for (const part of [
    `Task ${id}: title`,
    "max-retries:   3 (task)",
    "line two",
    "user (human): a remark",
    "did it",
    "completed",
    "#1 completed @user",
  ]) {
    assert.ok(out.includes(part), `${part} in\n${out}`);
  }
});

test("boards keep their tasks apart, and the list names the others", async (t) => {
  proves(t, "cli.kanban.board-flag");
  const world = setupBoard(t, { real: true });
  assert.equal(
    (await kanban(world, ["boards", "create", "Foo-Bar", "--name", "Foo"])).out,
    "Board 'foo-bar' created.\n",
  );
  assert.equal((await kanban(world, ["boards", "create", "foo-bar"])).out, "Board 'foo-bar' already exists.\n");
  await kanban(world, ["--board", "foo-bar", "create", "inb"]);
  assert.match(
    (await kanban(world, ["list"])).out,
    /^Board: default \(1 other board — `agent kanban boards list`\)\n\n\(no matching tasks\)\n$/,
  );
  assert.equal((await kanban(world, ["boards", "switch", "foo-bar"])).out, "Active board is now 'foo-bar'.\n");
  assert.match((await kanban(world, ["list"])).out, /^Board: foo-bar \(1 other board .*\n\n▶ t_.* {2}inb\n$/);
  const env = { AGENT_KANBAN_BOARD: "foo-bar" };
  await kanban(world, ["--board", "default", "create", "here"], { env });
  assert.match((await kanban(world, ["--board", "default", "list"], { env })).out, /here/);
  const gone = { AGENT_KANBAN_BOARD: "gone" };
  const read = await kanban(world, ["list"], { env: gone });
  assert.deepEqual([read.code, read.err], [0, "kanban: AGENT_KANBAN_BOARD: unknown board 'gone'\n"]);
  assert.equal((await kanban(world, ["create", "x"], { env: gone })).code, 1);
  assert.equal((await kanban(world, ["list"], { env: { AGENT_KANBAN_BOARD: "BAD!" } })).code, 2);
  const paused = await kanban(world, ["boards", "pause", "--reason", "moving"]);
  assert.equal(paused.out, "Board 'foo-bar' is paused.\n");
  assert.match((await kanban(world, ["list"])).out, /Board is paused: moving\n/);
  assert.match(
    (await kanban(world, ["boards", "list"])).out,
    /● foo-bar {18}Foo {26}ready=1 {2}paused\nCurrent board: foo-bar\n$/,
  );
});

test("durations and times are read as people write them", () => {
  assert.equal(parseDuration("90"), 90);
  assert.equal(parseDuration("1.5h"), 5400);
  assert.equal(parseDuration("2d"), 172_800);
  for (const bad of ["", "0", "-1", "1.5", "h", "1w", "1 h x", "soon", "0m"])
    assert.throws(() => parseDuration(bad), /invalid duration/, bad);
  const now = Date.parse("2026-03-28T23:30:00Z") / 1000;
  const at = (text: string, zone = "UTC") => new Date(parseTime(text, now, zone) * 1000).toISOString();
  assert.equal(at("+2h"), "2026-03-29T01:30:00.000Z");
  assert.equal(at("2026-03-29T09:00Z"), "2026-03-29T09:00:00.000Z");
  assert.equal(at("2026-03-29T09:00+02:00"), "2026-03-29T07:00:00.000Z");
  assert.equal(at("2026-03-29T09:00", "Europe/Berlin"), "2026-03-29T07:00:00.000Z");
  assert.equal(at("2026-03-29", "America/New_York"), "2026-03-29T04:00:00.000Z");
  assert.equal(at("09:00", "Europe/Berlin"), "2026-03-29T07:00:00.000Z");
  assert.equal(at("23:00"), "2026-03-29T23:00:00.000Z");
  for (const bad of ["2026-02-30", "25:00", "yesterday", "2026-03-28T23:30:00Z"])
    assert.throws(() => parseTime(bad, now, "UTC"), bad);
});

test("watch shows new events as they commit and ends with 0", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "x");
  const stop = new AbortController();
  let seen = "";
  let heard = () => undefined as unknown;
  const first = new Promise((resolve) => {
    heard = () => resolve(undefined);
  });
  const watching = kanban(world, ["watch", "--since", "0"], {
    signal: stop.signal,
    onOut: (text) => {
      seen += text;
      if (seen.includes("commented")) heard();
    },
  });
  await kanban(world, ["comment", id, "hi"]);
  await first;
  stop.abort(new Error("SIGINT"));
  const { code, out } = await watching;
  assert.equal(code, 0);
  assert.match(out, new RegExp(`^\\[[^\\]]+\\] ${id} created {12}`));
  assert.match(out, /\(stopped\)\n$/);
});

test("what a command refuses by itself names the help of that command", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  for (const [argv, of] of [
    [["edit", id], "edit"],
    [["list", "--status", "bogus"], "list"],
    [["create", "x", "--at", "25:00"], "create"],
    [["complete", id, "--metadata", "[1]"], "complete"],
  ] as const) {
    assert.match(
      (await kanban(world, argv)).err,
      new RegExp(`^kanban: agent kanban ${of} --help shows the options$`, "m"),
    );
    assert.equal(
      (await kanban(world, [...argv, "--json"])).json<{ error: { hint: string } }>().error.hint,
      `agent kanban ${of} --help shows the options`,
    );
  }
});

test("a refused row of a batch tells the status that the task has", async (t) => {
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const child = await make(world, "child", "--parent", parent);
  const { results } = (await kanban(world, ["promote", child, "--ids", "t_00000000", "--json"])).json<{
    results: { task_id: string; status: string | null; error: { code: string } }[];
  }>();
  assert.deepEqual(
    results.map((row) => [row.task_id, row.status, row.error.code]),
    [
      [child, "todo", "E_PARENTS_OPEN"],
      ["t_00000000", null, "E_NOT_FOUND"],
    ],
  );
});
