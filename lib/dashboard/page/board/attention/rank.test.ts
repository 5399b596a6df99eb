import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskId, UnixSeconds } from "../../../../base/units.js";
import type { Diagnostic, DiagnosticAction, Severity, TaskDiagnostics } from "../../../../contracts/board/explain.js";
import { actionsOf, commandOf, findActionTask, ranked, tally } from "./rank.js";

const found = (severity: Severity, last: number, actions: readonly DiagnosticAction[] = []): Diagnostic => ({
  kind: "stuck_in_blocked",
  severity,
  title: `${severity} ${last}`,
  detail: "",
  actions,
  count: 1,
  data: {},
  first_seen_at: last as UnixSeconds,
  last_seen_at: last as UnixSeconds, // instants of this test
});

const of = (id: string | null, ...diagnostics: Diagnostic[]): TaskDiagnostics => ({
  task_id: id as TaskId | null,
  title: id,
  status: null,
  assignee: null,
  diagnostics, // an id of this test
});

const action = (
  kind: DiagnosticAction["kind"],
  suggested: boolean,
  payload: Record<string, unknown> = {},
): DiagnosticAction => ({
  kind,
  label: `do ${kind}`,
  payload,
  suggested,
});

test("the worst stands first, and of the same severity the newest", () => {
  const all = [
    of("a", found("warning", 9), found("error", 1)),
    of("b", found("critical", 3)),
    of(null, found("error", 5)),
  ];
  assert.deepEqual(
    ranked(all).map(({ diagnostic }) => diagnostic.title),
    ["critical 3", "error 5", "error 1", "warning 9"],
  );
});

test("what was found is counted by severity", () => {
  const all = ranked([of("a", found("warning", 1), found("warning", 2)), of("b", found("critical", 3))]);
  assert.equal(tally(all), "1 critical, 2 warnings");
  assert.equal(tally([]), "");
});

test("the suggested action stands first", () => {
  const actions = actionsOf(found("error", 1, [action("reassign", false), action("unblock", true)]));
  assert.deepEqual(
    actions.map(({ kind }) => kind),
    ["unblock", "reassign"],
  );
});

test("an action goes to the task that it names, else to that of the finding", () => {
  assert.equal(findActionTask(action("unblock", true, { task_id: "t_2" }), { taskId: "t_1" }), "t_2");
  assert.equal(findActionTask(action("unblock", true), { taskId: "t_1" }), "t_1");
});

test("a hint shows the command that it holds", () => {
  assert.equal(commandOf(action("cli_hint", true, { command: "agent kanban next" })), "agent kanban next");
  assert.equal(commandOf(action("comment", true)), undefined);
});
