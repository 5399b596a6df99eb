import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS } from "../../commands/index.gen.js";
import { lineKey, repeats } from "./keyed-line.js";
import { REPEATED } from "./repeated-lines.gen.js";

const BOARD = COMMANDS.filter(({ path }) => path.startsWith("kanban "));

test("every command that is run again by itself is a command of the board", () => {
  const known = new Set(BOARD.flatMap(({ path, aliases }) => [path, ...(aliases ?? [])]));
  assert.deepEqual(
    [...REPEATED].filter((path) => !known.has(path)),
    [],
  );
});

test("a command that only reads a board is run again by itself, by each of its names", () => {
  const reading = BOARD.filter(({ access, follow, writesWith }) => access === "read" && !follow && !writesWith);
  const names = reading.flatMap(({ path, aliases }) => [path, ...(aliases ?? [])]);
  assert.ok(names.length > 15, String(names.length));
  assert.deepEqual(
    names.filter((name) => !repeats(name, name.split(" "))),
    [],
  );
});

test("a deletion, what moves whole boards and what starts work are not run again by themselves", () => {
  for (const line of [
    "archive t_1 --rm",
    "boards rm x",
    "boards import f",
    "dispatch",
    "gc",
    "swarm goal",
    "claim t_1",
    "decompose t_1",
  ]) {
    const [first = "", second = ""] = line.split(" ");
    assert.equal(
      repeats(`kanban ${first}`, line.split(" ")) || repeats(`kanban ${first} ${second}`, line.split(" ")),
      false,
      line,
    );
  }
});

test("two lines of one process have two keys, which events can carry", () => {
  const one = lineKey(4711, 1n);
  const two = lineKey(4711, 2n);
  assert.notEqual(one, two);
  assert.match(one, /^[0-9a-z]+$/);
});
