import assert from "node:assert/strict";
import { test } from "node:test";
import { findUsualDirectory } from "./session-list.js";

test("a new conversation is offered the directory of the newest one that a person began, never that of a worker", () => {
  const worker = { source: "worker", cwd: "/home/me/.agent/kanban/workspaces/t_1" };
  const chat = { source: "msgt", cwd: "/home/me" };
  const mine = { source: "workspace", cwd: "/home/me/project" };
  assert.equal(findUsualDirectory([worker, chat, mine, { source: "cli", cwd: "/home/me/older" }]), "/home/me/project");
  assert.equal(
    findUsualDirectory([worker, { source: "subagent", cwd: worker.cwd }, { source: "background", cwd: worker.cwd }]),
    "",
  );
  assert.equal(findUsualDirectory([]), "");
});
