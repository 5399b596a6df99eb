import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT, mapConfig, setupBoard } from "../../fixtures/sim/board-world.js";
import type { SessionId, TaskId } from "../base/units.js";
import type { NewSession, SessionRecord, Source } from "../proto/chat.js";
import { boardForSession } from "./board-for-session.js";

const SESSION = { id: "20260101_000000_abcdef" as SessionId, profile: "boss" } as SessionRecord; // nothing else of it is looked at
const TOOLS = ["kanban_create", "kanban_link", "kanban_list", "kanban_show", "kanban_unblock"];

const surfaces: [source: Source, given: Partial<NewSession>, settings: Readonly<Record<string, unknown>>, has: boolean][] = [
  ["workspace", {}, {}, true],
  ["inline", {}, {}, true],
  ["cli", {}, {}, false],
  ["cli", { toolsets: ["kanban", "file"] }, {}, true],
  ["cli", {}, { toolsets: ["agent-cli", "kanban"] }, true],
  ["cron", {}, {}, false],
  ["subagent", {}, {}, false],
  ["background", {}, {}, false],
  ["worker", {}, {}, false],
];

for (const [source, given, settings, has] of surfaces) {
  const how = given.toolsets || settings["toolsets"] ? " that names it" : "";
  test(`a ${source} session${how} ${has ? "has" : "has not"} the board`, (t) => {
    const { board } = setupBoard(t);
    const options: NewSession = { source, cwd: "/", env: {}, ...given };
    const { port, tools } = boardForSession(board, SESSION, options, mapConfig(new Map(Object.entries(settings))));
    assert.deepEqual([[...tools].toSorted(), port !== undefined], [has ? TOOLS : [], has]);
  });
}

test("a conversation stays on the board that it has first used, and its chat hears of what it makes there", async (t) => {
  const { board } = setupBoard(t);
  const env: Record<string, string> = {};
  const origin = { platform: "msgt", chat_id: "5" };
  const { port } = boardForSession(board, SESSION, { source: "workspace", cwd: "/", env, origin }, mapConfig(new Map()));
  assert.ok(port);
  await port.call("list", {});
  env["AGENT_KANBAN_BOARD"] = "BAD!"; // would be refused if it were looked at again
  const { task_id } = await port.call("create", { title: "x", assignee: "alice" });
  const { task, subscriptions } = await board.show(DEFAULT, task_id as TaskId); // the tool answers with ids
  assert.deepEqual([task.session_id, task.created_by, subscriptions.length], [SESSION.id, "boss", 1]);
});
