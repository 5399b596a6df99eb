import assert from "node:assert/strict";
import { test } from "node:test";
import { seeded } from "../../../fixtures/ports/random.js";
import type { TaskId } from "../../../lib/base/units.js";
import { insertTask, type NewTaskRow } from "./born.js";

/** More sets of columns than statements are remembered for. */
const SETS = 1_500;
const COLUMNS = [
  "assignee",
  "tenant",
  "branch_name",
  "base_name",
  "session_id",
  "model_override",
  "repo_path",
  "verdict",
] as const;
const COUNTS = ["priority", "max_retries", "goal_max_turns", "hold", "max_runtime_seconds", "not_before"] as const;

test("whatever columns a new task has, its statement names them in the order of its values", () => {
  const random = seeded(7);
  for (let made = 0; made < SETS; made++) {
    const row: NewTaskRow = {
      id: `t_${made}` as TaskId,
      title: `title ${made}`,
      status: "todo",
      created_by: "me",
      created_at: 1_000 + made,
    }; // ids of a test
    const given: Record<string, unknown> = row;
    for (const name of COLUMNS) if (random.chance(0.5)) given[name] = `${name} ${made}`;
    for (const [at, name] of COUNTS.entries()) if (random.chance(0.5)) given[name] = made + 10 + at;
    const { sql, args } = insertTask(row);
    const [, names = "", marks = ""] =
      /^INSERT INTO tasks \(([^)]*)\) VALUES \(([^)]*)\) ON CONFLICT DO NOTHING$/.exec(sql) ?? [];
    const told = Object.fromEntries(names.split(", ").map((name, at) => [name, args[at]]));
    assert.deepEqual(told, { ...given, updated_at: row.created_at }, `set ${made}`);
    assert.equal(marks, args.map(() => "?").join(", "));
  }
});

test("a column that has what the schema gives anyway, or nothing, is not named", () => {
  const row: NewTaskRow = { id: "t_1" as TaskId, title: "one", status: "todo", created_by: "me", created_at: 5 }; // an id of a test
  const same = {
    priority: 0,
    workspace_kind: "scratch",
    skills: "[]",
    goal_mode: 0,
    external: 0,
    auto_decompose: 1,
    tenant: null,
  } as const;
  assert.deepEqual(insertTask({ ...row, ...same }), insertTask(row));
});
