import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS } from "../../commands/index.gen.js";
import { lineKey, REPEATS, repeats } from "./keyed-line.js";

test("every command that is run again by itself is a command of the board", () => {
  const known = new Set(COMMANDS.flatMap(({ path, aliases }) => [path, ...(aliases ?? [])]));
  assert.deepEqual(
    [...REPEATS].filter((path) => !known.has(`kanban ${path}`)),
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
