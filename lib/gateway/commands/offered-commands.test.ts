import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS } from "../../commands/index.gen.js";
import { offeredCommands } from "./offered-commands.js";

test("platforms are offered every command that a chat can begin with, once, and each with a line", () => {
  const offered = offeredCommands(COMMANDS);
  const names = offered.map(({ name }) => name);
  for (const name of ["help", "kanban", "status", "stop", "new"]) assert.ok(names.includes(name), name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    offered.filter(({ description }) => description === "" || description.startsWith("/")),
    [],
  );
  assert.ok(names.length <= 100, `${names.length} commands: the platforms take at most 100`);
});
