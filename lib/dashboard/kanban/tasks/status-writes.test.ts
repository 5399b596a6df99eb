import assert from "node:assert/strict";
import { test } from "node:test";
import { type RestWorld, setupRest } from "../../../../fixtures/dashboard/rest.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../../base/units.js";
import type { Status, Task } from "../../../contracts/board/board.js";

interface Changed {
  readonly task: Task;
  readonly warning?: string;
  readonly detail?: string;
  readonly code?: string;
}

type Rest = Pick<RestWorld, "world" | "ask">;

const make = async ({ world }: Rest, more: object = {}): Promise<TaskId> =>
  (await world.board.create(DEFAULT, { title: "one", ...more }, USER)).task.id;

const claim = async ({ world }: Rest, id: TaskId) =>
  world.board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });

const patch = (rest: Rest, id: string, body: object, headers = {}) =>
  rest.ask<Changed>("PATCH", `/tasks/${id}`, body, { headers });

/** A task in a status; `open` has a parent that is not done, where the status allows one. */
async function taskIn(rest: Rest, from: Status, open: boolean): Promise<{ id: TaskId; parent: TaskId }> {
  const { board, clock } = rest.world;
  const parent = await make(rest);
  const parents = open ? { parents: [parent] } : {};
  const at = Math.floor(clock.now() / 1000) + 1000;
  if (from === "triage") return { id: await make(rest, { ...parents, triage: true }), parent };
  if (from === "blocked") return { id: await make(rest, { ...parents, initial_status: "blocked" }), parent };
  if (from === "scheduled") return { id: await make(rest, { ...parents, scheduled_at: at }), parent };
  const id = await make(rest, parents);
  if (from === "todo" && !open) await board.write(DEFAULT, id, { status: "todo" }, USER);
  if (from === "running") await claim(rest, id);
  if (from === "done" || from === "archived") {
    if (open) await board.promote(DEFAULT, id, { force: true }, USER);
    await board.complete(DEFAULT, id, {}, USER);
  }
  if (from === "archived") await board.archive(DEFAULT, id, USER);
  assert.equal((await board.task(DEFAULT, id)).status, from);
  return { id, parent };
}

interface Row {
  readonly write: string;
  readonly from: readonly Status[];
  /** It waits for a parent that is not done. */
  readonly open?: true;
  readonly body?: object;
  /** Status of the task afterwards, or the HTTP status of the refusal, which changes nothing. */
  readonly want: Status | number;
  readonly says?: RegExp;
}

const ALL: readonly Status[] = ["triage", "todo", "ready", "running", "blocked", "scheduled", "done", "archived"];
const without = (...left: readonly Status[]) => ALL.filter((status) => !left.includes(status));

/** Every row of the table of status writes (board part, 14.5). */
const ROWS: readonly Row[] = [
  { write: "running", from: ALL, want: 400, says: /^status running can only be set by a claim$/ },
  { write: "done", from: ["ready", "running", "blocked"], want: "done" },
  { write: "done", from: ["triage", "todo", "scheduled"], want: 409 },
  { write: "blocked", from: ["todo", "ready", "running"], body: { block_reason: "why" }, want: "blocked" },
  { write: "blocked", from: ["triage", "scheduled", "done", "archived"], want: 409 },
  {
    write: "scheduled",
    from: ["todo", "ready", "running", "blocked", "scheduled"],
    body: { block_reason: "later" },
    want: "scheduled",
  },
  { write: "scheduled", from: ["triage", "done", "archived"], want: 409 },
  { write: "ready", from: ["blocked", "scheduled"], want: "ready" },
  { write: "ready", from: ["blocked", "scheduled"], open: true, want: 409, says: /t_/ },
  { write: "ready", from: ["blocked", "scheduled"], open: true, body: { force: true }, want: "ready" },
  { write: "ready", from: ["todo"], want: "ready" },
  { write: "ready", from: ["todo"], open: true, want: 409, says: /t_/ },
  { write: "ready", from: ["todo"], open: true, body: { force: true }, want: "ready" },
  { write: "ready", from: ["triage"], want: "ready" },
  { write: "ready", from: ["triage"], open: true, want: 409, says: /t_/ },
  { write: "ready", from: ["done"], want: "ready" },
  { write: "ready", from: ["done"], open: true, want: 409, says: /t_/ },
  { write: "ready", from: ["running"], want: "ready" },
  { write: "todo", from: ["triage"], want: "ready" },
  { write: "todo", from: ["triage"], open: true, want: "todo" },
  { write: "todo", from: ["ready", "running", "blocked", "scheduled"], want: "todo" },
  { write: "todo", from: ["done"], want: "ready" },
  { write: "todo", from: ["done"], open: true, want: "todo" },
  { write: "triage", from: without("archived"), want: "triage" },
  { write: "archived", from: without("archived"), want: "archived" },
  { write: "archived", from: ["archived"], want: 409 },
  { write: "done", from: ["archived"], want: "done" },
  { write: "ready", from: ["archived"], want: 409, says: /done/ },
  { write: "todo", from: ["archived"], open: true, want: 409 },
  { write: "triage", from: ["archived"], want: 409 },
  { write: "finished", from: ["ready", "archived"], want: 400 },
];

for (const { write, from, open, body, want, says } of ROWS)
  for (const status of from) {
    const how = `${open === true ? " that waits for a parent" : ""}${body === undefined ? "" : ` with ${Object.keys(body).join(", ")}`}`;
    const end = typeof want === "number" ? `is refused with ${want}` : `makes it ${want}`;
    test(`writing ${write} to a ${status} task${how} ${end}`, async (t) => {
      const rest = await setupRest(t);
      const { id, parent } = await taskIn(rest, status, open === true);
      const before = await rest.world.board.task(DEFAULT, id);
      const answer = await patch(rest, id, { status: write, title: "two", ...body });
      const after = await rest.world.board.task(DEFAULT, id);
      if (typeof want === "number") {
        assert.deepEqual([answer.status, after], [want, before], JSON.stringify(answer.json));
        if (says?.source === "t_") assert.ok(answer.json.detail?.includes(parent));
        else if (says !== undefined) assert.match(answer.json.detail ?? "", says);
      } else {
        assert.deepEqual([answer.status, after.status, after.title], [200, want, "two"], JSON.stringify(answer.json));
        assert.deepEqual([answer.json.task, answer.headers.etag], [after, `"${after.version}"`]);
      }
    });
  }
