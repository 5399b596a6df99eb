import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS } from "../index.gen.js";
import { completeSlashLine } from "./complete.js";
import { groupHelp } from "./usage.js";

const ENTRIES = COMMANDS.filter((entry) => entry.surfaces.includes("slash"));
const offered = (text: string, cursor = text.length) => completeSlashLine(text, cursor, ENTRIES).map((one) => one.text);

test("behind the slash the commands are offered, and those alone that begin as typed", () => {
  assert.ok(offered("/").includes("kanban") && offered("/").includes("status"));
  for (const often of ["board", "compress", "goal", "help", "model", "new", "quit", "sessions", "theme", "undo"])
    assert.ok(offered("/").includes(often), often);
  assert.deepEqual(offered("/ver").slice(0, 2), ["verbose", "version"]);
  assert.deepEqual(offered("/kan"), ["kanban"]);
  assert.deepEqual(offered("hello"), []);
  assert.deepEqual(offered("/nothing-like-it"), []);
});

test("a word that leads to several commands says to which", () => {
  const detail = (text: string) =>
    completeSlashLine(text, text.length, ENTRIES).find((one) => one.text === text.slice(1))?.detail ?? "";
  assert.match(detail("/kanban"), /^\w+, .* and \d+ more\.$/);
});

test("a group with one action is described by what the action does, not by its name alone", () => {
  assert.match(groupHelp(ENTRIES, ["skills"]), /^ {2}tap +List the repositories /m);
  const groups = new Set(
    ENTRIES.flatMap(({ path }) => path.split(" ").map((_, at, words) => words.slice(0, at).join(" "))),
  );
  for (const group of groups) {
    const words = group.split(" ").filter((word) => word !== "");
    const [, ...lines] = groupHelp(ENTRIES, words).split("\n");
    for (const line of lines) assert.match(line, /^ +\S+ +\S+ \S/, `/${group} help`);
  }
});

test("behind a command its actions, behind an action its options, behind an option its values", () => {
  assert.ok(offered("/kanban ").includes("create"));
  assert.deepEqual(offered("/kanban notify s"), ["subscribe"]);
  assert.ok(offered("/kanban create x --").includes("--assignee"));
  assert.deepEqual(offered("/kanban create x --initial-status "), ["normal", "blocked"]);
  assert.ok(!offered("/kanban create x --triage --").includes("--triage"));
});

test("what is offered fits the cursor, not the end of the line, and an open quote is a word", () => {
  assert.deepEqual(offered("/kan list", 4), ["kanban"]);
  assert.deepEqual(offered('/kanban create "say --'), []);
});
