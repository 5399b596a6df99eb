import assert from "node:assert/strict";
import { test } from "node:test";
import { kanban } from "../../fixtures/sim/board-cli.js";
import { boardWorld, DEFAULT } from "../../fixtures/sim/board-world.js";
import type { Store } from "../../storage/store.js";
import { LIST_SORTS, type ListFilter } from "../contracts/board/api.js";

const TEXTS = [
  "plain",
  "",
  'quo"te \\ back',
  "line\nend\r\ttab\b\f",
  "\u0001\u001f\u007f\u0080\u2028",
  "grüße 漢字 😀",
  "it's '||' %s ?",
  "\ufeffmark",
];
const NUMBERS = [0, 1, -1, 7, 1_795_253_151, 8_640_000_000_000];
const STATUSES = ["triage", "todo", "ready", "running", "blocked", "scheduled", "done", "archived"];
const TEXT_COLUMNS = [
  "tenant",
  "workspace_path",
  "branch_name",
  "session_id",
  "model_override",
  "last_failure_error",
  "last_failure_class",
  "block_kind",
  "verdict",
  "decomposed_from",
  "repo_path",
  "base_name",
  "base_commit",
  "archived_from",
];
const NUMBER_COLUMNS = [
  "started_at",
  "completed_at",
  "max_retries",
  "max_runtime_seconds",
  "goal_max_turns",
  "not_before",
  "scheduled_at",
  "decompose_next_at",
  "current_run_id",
  "archived_at",
];
const FLAGS = ["goal_mode", "external", "hold", "auto_decompose"];
const SKILLS = ["[]", '["one"]', '["a \\"b\\"","c\\nd",""]'];
const FILTERS: readonly ListFilter[] = [
  {},
  { archived: true },
  { limit: 1 },
  { status: ["todo"], limit: 300 },
  { status: ["todo"], search: "lone", limit: 60 },
  { limit: 501, archived: true },
  { status: ["done", "todo"], limit: 40 },
  { search: "quo" },
  { search: "GRÜSSE" },
  { search: "grüße" },
  { tenant: "nobody" },
];

/** Tasks with every kind of value in every column, linked, worked on and counted. A case picks from its list by its number, so that all pairs come. */
async function odd(store: Store, count: number): Promise<void> {
  const id = (at: number) => `t_${at.toString(16).padStart(8, "0")}`;
  await store.write("odd tasks", async (tx) => {
    for (let at = 0; at < count; at++) {
      const pick = <T>(from: readonly T[], salt: number) => from[(at * (salt + 1) + ((at / 7) | 0)) % from.length];
      const orNull = <T>(from: readonly T[], salt: number) =>
        (at + salt) % 3 === 0 ? null : (pick(from, salt) ?? null);
      const row: Record<string, string | number | null> = {
        id: id(at),
        title: `${at} ${pick(TEXTS, 1)}`,
        status: pick(STATUSES, 2) ?? "todo",
        assignee: orNull(TEXTS, 3),
        priority: (at % 5) - 2,
        created_by: pick(TEXTS, 4) ?? "",
        created_at: 1_700_000_000 + (at % 50),
        updated_at: 1_700_000_000 + at,
        skills: pick(SKILLS, 5) ?? "[]",
        idempotency_key: at % 4 === 0 ? `key ${at}` : null,
      };
      for (const [salt, name] of TEXT_COLUMNS.entries()) row[name] = orNull(TEXTS, salt);
      for (const [salt, name] of NUMBER_COLUMNS.entries()) row[name] = orNull(NUMBERS, salt);
      for (const [salt, name] of FLAGS.entries()) row[name] = (at >> salt) & 1;
      const names = Object.keys(row);
      await tx.run(
        `INSERT INTO tasks (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
        Object.values(row),
      );
      const texts = [id(at), orNull(TEXTS, 6), orNull(TEXTS, 7), orNull(TEXTS, 8)];
      if (at % 5 > 0)
        await tx.run("INSERT INTO task_texts (task_id, body, result, block_reason) VALUES (?, ?, ?, ?)", texts);
      for (const back of at % 6 === 0 ? [1, 2, 3].filter((one) => one <= at) : [])
        await tx.run("INSERT INTO links (parent_id, child_id, ignored) VALUES (?, ?, ?)", [
          id(at - back),
          id(at),
          back % 2,
        ]);
    }
  });
}

/** Tasks with the least that there is, and each with one column that says something: what is as usual is told by one text for many fields. */
async function lone(store: Store): Promise<void> {
  const said = [...TEXT_COLUMNS, "assignee"].map((name) => [name, "said"] as const);
  const counted = [...NUMBER_COLUMNS, ...FLAGS, "priority", "consecutive_failures", "decompose_attempts"].map(
    (name) => [name, 1] as const,
  );
  const columns = [["version", 1], ["auto_decompose", 0], ["skills", '["one"]'], ...said, ...counted] as const;
  await store.write("lone", async (tx) => {
    const insert = "INSERT INTO tasks (id, title, status, created_by, created_at, updated_at";
    for (const [at, [name, value]] of columns.entries())
      await tx.run(`${insert}, ${name}) VALUES (?, 'lone', 'todo', 'me', 7, 8, ?)`, [
        `t_f${at.toString(16).padStart(7, "0")}`,
        value,
      ]);
    for (const [at, name] of ["body", "result", "block_reason"].entries())
      await tx.run(`INSERT INTO task_texts (task_id, ${name}) VALUES (?, 'x')`, [
        `t_f${at.toString(16).padStart(7, "0")}`,
      ]);
  });
}

async function worked(store: Store): Promise<void> {
  const insert = `INSERT INTO runs (task_id, profile, started_at, last_heartbeat_at, claim_expires, worker_pid, input_tokens, api_calls, cost_usd)
    VALUES (?, 'p', 1, ?, ?, ?, ?, ?, ?) RETURNING id`;
  const costs = [null, 0, 0.1, 1 / 3, 1e-7, 12];
  await store.write("runs", async (tx) => {
    const tasks = await tx.all<{ id: string; made: number }>("SELECT id, rowid AS made FROM tasks ORDER BY rowid");
    for (const { id, made } of tasks.filter((task) => task.made % 4 === 1)) {
      const used = made % 8 === 1 ? [made, made, costs[(made >> 3) % costs.length] ?? null] : [null, null, null];
      const run = await tx.get<{ id: number }>(insert, [id, made, made + 9, made % 3 === 0 ? null : made, ...used]);
      if (made % 16 === 1) await tx.run("UPDATE tasks SET current_run_id = ? WHERE id = ?", [run?.id ?? null, id]);
    }
  });
}

test("a list made as text in the store is byte for byte the list of its tasks, in every order and over many pages", async (t) => {
  const world = boardWorld({ rehearse: false });
  t.after(() => world.close());
  const store = await world.store();
  await odd(store, 620);
  await lone(store);
  await worked(store);
  for (const [at, filter] of FILTERS.entries()) {
    for (const sort of at === 0 ? LIST_SORTS : LIST_SORTS.slice(at % 7, (at % 7) + 1)) {
      const tasks = (await world.board.list(DEFAULT, { ...filter, sort })).map(({ task }) => task);
      const text = Buffer.concat(await world.board.listText(DEFAULT, { ...filter, sort })).toString("utf8");
      assert.ok(text === JSON.stringify(tasks, null, 2), `${JSON.stringify(filter)} ${sort}: ${tasks.length} tasks`);
    }
  }
});

test("a list of a board without tasks, and of one that was never written, is an empty array", async (t) => {
  const world = boardWorld();
  t.after(() => world.close());
  assert.equal((await kanban(world, ["list", "--json"])).out, "[]\n");
  await world.store();
  assert.equal((await kanban(world, ["list", "--json"])).out, "[]\n");
  await kanban(world, ["create", "one"]);
  const { out, json } = await kanban(world, ["list", "--json"]);
  assert.equal(out, `${JSON.stringify(json(), null, 2)}\n`);
});
