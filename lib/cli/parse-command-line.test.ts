import assert from "node:assert/strict";
import test from "node:test";
import { Parser } from "yargs/helpers";
import type { CommandEntry, FlagMeta } from "../commands/entry.js";
import { parseCommandLine } from "./parse-command-line.js";

const text = (name: string, more: Partial<FlagMeta> = {}): FlagMeta => ({
  name,
  type: "string",
  describe: name,
  ...more,
});
const entry = (path: string, more: Partial<CommandEntry>): CommandEntry => ({
  path,
  summary: path,
  topic: "kanban",
  surfaces: ["cli"],
  access: "write",
  flags: [],
  load: () => Promise.reject(new Error("not loaded here")),
  ...more,
});

const ENTRIES = [
  entry("kanban create", {
    positionals: ["title"],
    flags: [
      text("title"),
      text("body"),
      text("skill", { array: true }),
      { name: "max_retries", type: "number", describe: "n" },
      { name: "triage", type: "boolean", default: false, describe: "t" },
      { name: "no_auto", type: "boolean", default: false, describe: "n" },
      { name: "priority", type: "number", describe: "p" },
    ],
  }),
  entry("kanban comment", {
    positionals: ["id", "text..."],
    flags: [text("id"), text("text", { array: true }), text("author")],
  }),
  entry("kanban list", { aliases: ["kanban ls"], flags: [text("status")] }),
  entry("kanban boards show", {}),
  entry("chat", { short: { query: "q" }, flags: [text("query")] }),
  entry("sample", {
    positionals: ["days", "colour"],
    flags: [{ name: "days", type: "number", describe: "d" }, text("colour", { choices: ["red", "green"] })],
  }),
  entry("config get", { positionals: ["key"], flags: [text("key")] }),
];

const parse = (line: readonly string[]) => parseCommandLine(line, ENTRIES, Parser);

const GOOD: readonly [
  string,
  readonly string[],
  string | undefined,
  Record<string, unknown>,
  Record<string, unknown>,
][] = [
  [
    "options stand anywhere after the action",
    ["kanban", "create", "--triage", "a b"],
    "kanban create",
    { title: "a b", triage: true },
    {},
  ],
  [
    "a flag that says no is a flag",
    ["kanban", "create", "x", "--no-auto"],
    "kanban create",
    { title: "x", no_auto: true },
    {},
  ],
  [
    "a flag takes = or a blank",
    ["kanban", "create", "x", "--body=hi there"],
    "kanban create",
    { title: "x", body: "hi there" },
    {},
  ],
  ["an empty value is a value", ["kanban", "create", "", "--body", ""], "kanban create", { title: "", body: "" }, {}],
  [
    "an array flag repeats and keeps order",
    ["kanban", "create", "x", "--skill", "a", "--skill", "b"],
    "kanban create",
    { title: "x", skill: ["a", "b"] },
    {},
  ],
  [
    "a number is a number, also negative",
    ["kanban", "create", "x", "--priority", "-5"],
    "kanban create",
    { title: "x", priority: -5 },
    {},
  ],
  ["-c without a name stands for the newest session", ["-c", "-z", "x"], undefined, {}, { oneshot: "x", continue: "" }],
  ["global options stand before the command", ["--json", "kanban", "list"], "kanban list", {}, { json: true }],
  [
    "global options stand after the command",
    ["kanban", "list", "--json", "--board", "b"],
    "kanban list",
    {},
    { json: true, board: "b" },
  ],
  ["an alias is its command", ["kanban", "ls"], "kanban list", {}, {}],
  [
    "the last place takes the rest",
    ["kanban", "comment", "t_1", "two", "words", "--author", "me"],
    "kanban comment",
    { id: "t_1", text: ["two", "words"], author: "me" },
    {},
  ],
  [
    "-- ends options",
    ["kanban", "comment", "t_1", "--", "--not", "-a", "flag"],
    "kanban comment",
    { id: "t_1", text: ["--not", "-a", "flag"] },
    {},
  ],
  ["a short name is its flag", ["chat", "-q", "hi"], "chat", { query: "hi" }, {}],
  [
    "-z takes the next word even when it begins like a command",
    ["-z", "kanban list"],
    undefined,
    {},
    { oneshot: "kanban list" },
  ],
  ["-m before a command", ["-m", "m1", "chat", "-q", "x"], "chat", { query: "x" }, { model: "m1" }],
  ["digits stay text where a text is wanted", ["kanban", "create", "0123"], "kanban create", { title: "0123" }, {}],
];

for (const [name, line, path, params, globals] of GOOD) {
  test(name, () => {
    const parsed = parse(line);
    assert.equal(parsed.entry?.path, path);
    assert.deepEqual(parsed.params, params);
    assert.deepEqual(parsed.globals, globals);
  });
}

const BAD: readonly [string, readonly string[], RegExp][] = [
  [
    "an unknown option names the nearest",
    ["kanban", "create", "x", "--skil", "a"],
    /unknown option '--skil', did you mean '--skill'/,
  ],
  ["an unknown command names the nearest", ["kanban", "crate", "x"], /unknown command 'crate', did you mean 'create'/],
  [
    "an unknown word of a group within a group names the nearest",
    ["kanban", "boards", "shw"],
    /agent kanban boards: unknown command 'shw', did you mean 'show'/,
  ],
  ["an unknown first word names the nearest", ["kanbn"], /unknown command 'kanbn', did you mean 'kanban'/],
  ["a flag without its value says so", ["kanban", "create", "x", "--body"], /--body requires a value/],
  ["-z without a prompt says so", ["-z"], /^-z requires a value$/],
  [
    "an unknown option without a command names the nearest",
    ["--headles"],
    /unknown option '--headles', did you mean '--headless'/,
  ],
  [
    "a word that is no number says so",
    ["kanban", "create", "x", "--max-retries", "two"],
    /--max-retries must be a number, not 'two'/,
  ],
  ["a place that wants a number is named as a place", ["sample", "x"], /^<days> must be a number, not 'x'/],
  [
    "a place that wants one of some says which",
    ["sample", "3", "blue"],
    /^<colour> must be one of red, green, not 'blue'/,
  ],
  [
    "a session that has no name is not a new one",
    ["-z", "go on", "--resume", ""],
    /^--resume requires a value, not ''$/,
  ],
  ["no toolset is not every toolset", ["-t", " ", "-z", "x"], /^--toolsets requires a value, not ' '$/],
  ["no profile is not the default one", ["--profile=", "kanban", "list"], /^--profile requires a value/],
  ["no model is not the usual one", ["chat", "-q", "x", "-m", ""], /^--model requires a value/],
  ["one argument too many is named", ["config", "get", "a", "b"], /'b'/],
];

for (const [name, line, message] of BAD) {
  test(name, () => {
    assert.throws(
      () => parse(line),
      (error: unknown) =>
        error instanceof Error && message.test(error.message) && "code" in error && error.code === "E_USAGE",
    );
  });
}

const HINTS: readonly [readonly string[], string][] = [
  [["kanban", "list", "--bogus"], "agent kanban list --help shows the options"],
  [["sample", "x"], "agent sample --help shows the options"],
  [["kanban", "crate"], "agent kanban --help lists the commands"],
  [["kanbn"], "agent --help lists the commands"],
  [["--headles"], "agent --help shows the options"],
  [["-z"], "agent --help shows the options"],
];
for (const [line, hint] of HINTS) {
  test(`what is wrong with ${line.join(" ")} names the help that fits`, () => {
    assert.throws(() => parse(line), { hint });
  });
}

test("help with the words of a command is the help of that command; one word is a topic", () => {
  const helps = entry("help", { positionals: ["topic"], flags: [text("topic")] });
  const read = (...line: string[]) => parseCommandLine(line, [...ENTRIES, helps], Parser);
  const shown = read("help", "kanban", "create");
  assert.deepEqual([shown.entry?.path, shown.globals["help"]], ["kanban create", true]);
  const group = read("help", "kanban", "boards");
  assert.deepEqual([group.entry, group.words, group.globals["help"]], [undefined, ["kanban", "boards"], true]);
  const topic = read("help", "kanban");
  assert.deepEqual([topic.entry?.path, topic.params["topic"]], ["help", "kanban"]);
  assert.throws(() => read("help", "kanban", "nonsense"), { code: "E_USAGE" });
});

test("a group without an action is known by its words, also a group within a group", () => {
  for (const line of [["kanban"], ["kanban", "boards"]]) {
    const { entry: found, words } = parse(line);
    assert.deepEqual([found, words], [undefined, line]);
  }
});
