import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noTmux, openTerminal } from "../../../fixtures/e2e/tmux.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";
import { roundOf, type ScriptProgram } from "../../../fixtures/servers/model/script.js";

/** Each shape of the table of secrets: the line it stands in, and the secret itself. */
const SHAPES = readFileSync(join(process.cwd(), "fixtures/corpora/secrets.txt"), "utf8")
  .split("\n")
  .flatMap((row) => {
    const line = row.slice(0, row.lastIndexOf(" # ")).replaceAll("␤", "\n");
    const secret = /<([\s\S]*)>/.exec(line)?.[1];
    const needsNeighbours = /known value| none|form body/.test(row); // values of another test's owner, no secrets, a text that is nothing else
    return secret === undefined || needsNeighbours ? [] : [{ text: line.replace(/<([\s\S]*)>/, "$1"), secret }];
  });
const ALL = SHAPES.map(({ text }) => text).join("\n");
/** Characters that tell a secret from other text; `hunter2x` and the like are words of their own as well. */
const FOUND_IN = (text: string) =>
  SHAPES.filter(({ secret }) => secret.length >= 8 && text.includes(secret)).map(({ secret }) => secret);

/** Reads all of them through a tool, writes all of them through another, says all of them; refused with all of them when asked to fail. */
const script: ScriptProgram = (request) => {
  if (JSON.stringify(request.messages).includes("please fail"))
    return { status: 400, body: { error: { message: ALL } } };
  const calls = [
    { name: "terminal", arguments: { command: "cat notes.txt; cat notes.txt >&2; env > env.txt" } },
    { name: "write_file", arguments: { path: "copy.txt", content: ALL } },
    { name: "read_file", arguments: { path: "copy.txt" } },
    { name: "no_such_tool", arguments: { all: ALL } },
    { name: "patch", arguments: { path: "copy.txt", old_string: ALL.slice(0, 60), new_string: "first" } },
  ];
  const call = calls[roundOf(request)];
  return call === undefined ? { text: `${ALL}\nEND OF ANSWER`, split: 7 } : { text: ALL, tool_calls: [call], split: 7 };
};

test("the table holds at least 40 shapes", () => assert.ok(SHAPES.length >= 40, `${SHAPES.length}`));

test("no shape of a secret reaches an output, event, log, store, export, request or child, whoever brings it up", async (t) => {
  proves(t, "R6", "keep.redaction");
  const made = await scene(t);
  const { run, json, owner, home, work, model } = made;
  const owning = await owner();
  const turn = await run(["chat", "-q", `what is\n${ALL}`, "--json"]);
  assert.equal(turn.code, 0, turn.err);
  const [session] = await json<{ id: string }[]>("sessions", "list");
  const id = session?.id ?? "";
  const sinks: Record<string, string> = { "events of --json": turn.out, "standard error": turn.err };
  for (const [name, args] of Object.entries(outputs(id))) {
    const { out, err } = await run(args);
    sinks[name] = `${out}${err}`;
  }
  const ended = await owning.end();
  Object.assign(sinks, {
    "the owner's output": `${ended.out}${ended.err}`,
    "requests to the model": JSON.stringify(model.requests),
  });
  Object.assign(sinks, { "environment of a child": readFileSync(join(work, "env.txt"), "latin1") }, filesOf(home.dir));
  for (const [name, text] of Object.entries(sinks))
    assert.deepEqual(FOUND_IN(text.replaceAll("\\n", "\n")), [], `in ${name}`);
  assert.match(String(sinks["sessions show"]), /«secret:git_token:\d+»/, "they were there");
  assert.match(String(sinks["a failing turn"]), /\[?«?secret:/, "the refusal of the provider was shown");
});

test("a file that the model writes holds the true values", async (t) => {
  const { run, owner, work } = await scene(t);
  await owner();
  await run(["-z", "go on"]);
  assert.equal(readFileSync(join(work, "copy.txt"), "utf8"), `first${ALL.slice(60)}`);
});

test("the screen of the workspace shows no shape of a secret", { skip: noTmux() ?? false }, async (t) => {
  const made = await scene(t);
  const terminal = await openTerminal(t, made.env, made.work);
  await terminal.type(`exec ${process.execPath} ${made.program}`);
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("New session"));
  await terminal.type("tell me everything");
  await terminal.until((screen) => screen.includes("› tell me everything"));
  await terminal.press("Enter");
  const screen = await terminal.until((text) => text.includes("END OF ANSWER"));
  assert.deepEqual(FOUND_IN(screen), []);
  assert.deepEqual(FOUND_IN(screen.replaceAll(/\s/g, "")), []);
  assert.match(screen, /«secret:/);
});

const outputs = (id: string): Readonly<Record<string, readonly string[]>> => ({
  "sessions show": ["sessions", "show", id],
  "sessions show --json": ["sessions", "show", id, "--json"],
  "export as Markdown": ["sessions", "export", id, "--format", "md"],
  "export as JSON": ["sessions", "export", id, "--format", "json"],
  "export as JSON lines": ["sessions", "export", id, "--format", "jsonl"],
  "sessions list": ["sessions", "list"],
  "a failing turn": ["-z", "please fail"],
});

async function scene(t: Parameters<typeof world>[0]): Promise<World> {
  const made = await world(t, { model: { script }, name: "any" });
  writeFileSync(join(made.work, "notes.txt"), `${ALL}\n`);
  return made;
}

/** Every file of the home. */
function filesOf(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(dir, name)).isFile(),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(dir, name), "latin1")]));
}
