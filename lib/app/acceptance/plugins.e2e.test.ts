import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";

/** The files of the worked example, as the help topic has them. */
function exampleFiles(): Readonly<Record<string, string>> {
  const topic = readFileSync("lib/help/topics/develop-plugin.md", "utf8");
  const files = [...topic.matchAll(/`(dice\/[^`]+)`:\n\n```\w+\n([\s\S]*?)```/g)];
  return Object.fromEntries(files.map(([, path = "", text = ""]) => [path, text]));
}

function write(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

test("the example of agent help develop-plugin leads to a tool in the list that the model can call", async (t) => {
  proves(t, "plugin.registers");
  const roll = { name: "dice_roll", arguments: { count: 2 } };
  const made = await world(t, {
    model: { script: { pick: "history", replies: [{ tool_calls: [roll] }, { text: "rolled" }] } },
    name: "m",
    config: "",
  });
  const files = exampleFiles();
  assert.deepEqual(Object.keys(files), ["dice/plugin.yaml", "dice/index.mjs"]);
  write(made.work, files);
  const installed = await made.run(["plugins", "install", "./dice", "--enable", "-y"]);
  assert.deepEqual([installed.code, installed.out], [0, "Installed and enabled dice.\n"]);
  assert.match((await made.run(["tools", "list"])).out, /plugin-dice {2}\(plugin dice\)\n {2}on {2}dice_roll/);
  const turn = await made.run(["-z", "roll two dice"]);
  assert.deepEqual([turn.code, turn.out], [0, "rolled\n"]);
  assert.match(JSON.stringify(made.model.chats().at(-1)), /\{\\"rolled\\":\[[1-6],[1-6]\]\}/);
  const cli = await made.run(["plugins", "disable", "dice"]);
  assert.equal(cli.code, 0);
  assert.doesNotMatch((await made.run(["tools", "list"])).out, /dice_roll/);
});

const HOOKS = `
  import { appendFileSync } from "node:fs";
  export function register(ctx) {
    const note = (line) => appendFileSync(process.env.HOME + "/hooks.log", line + "\\n");
    ctx.registerHook("pre_tool_call", ({ tool_name, args }) =>
      tool_name === "read_file" && args.path === "secret.txt" ? { action: "block", message: "not that file" } : undefined);
    ctx.registerHook("post_tool_call", ({ tool_name, result }) => note(tool_name + " " + result.includes("original") + " " + result.includes("replaced")));
    ctx.registerHook("transform_tool_result", () => { throw new Error("broken transform"); });
    ctx.registerHook("transform_tool_result", ({ result }) => result.replace("original", "replaced"));
    ctx.registerHook("pre_llm_call", () => "the weather is fine");
    ctx.registerHook("transform_llm_output", ({ response_text }) => response_text + "!");
    ctx.registerHook("post_llm_call", ({ assistant_response }) => note("post_llm_call " + assistant_response));
  }`;

test("hooks of a plugin block, see the original, replace what the model reads, and add context that is not stored", async (t) => {
  proves(t, "plugin.hooks", "keep.plugins");
  const read = (path: string) => ({ tool_calls: [{ name: "read_file", arguments: { path } }] });
  const replies = [read("secret.txt"), read("open.txt"), { text: "done" }];
  const made = await world(t, {
    model: { script: { pick: "history", replies } },
    name: "m",
    config: "plugins: {enabled: [watch]}\n",
  });
  write(made.work, { "secret.txt": "hidden", "open.txt": "the original text" });
  const home = made.home.dir;
  write(join(home, "plugins/watch"), { "plugin.yaml": "name: watch\nmain: index.mjs\n", "index.mjs": HOOKS });
  const turn = await made.run(["-z", "read both"]);
  assert.deepEqual([turn.code, turn.out], [0, "done!\n"]);
  const last = JSON.stringify(made.model.chats().at(-1));
  assert.match(last, /not that file/);
  assert.doesNotMatch(last, /hidden/);
  assert.match(last, /the replaced text/);
  assert.match(last, /the weather is fine/);
  const noted = readFileSync(join(made.env["HOME"] ?? "", "hooks.log"), "utf8");
  assert.match(noted, /^read_file true false$/m);
  assert.match(noted, /^post_llm_call done!?$/m);
  const stored = (await made.run(["sessions", "export", "--all", "--format", "jsonl"])).out;
  assert.match(stored, /read both/);
  assert.doesNotMatch(stored, /the weather is fine/);
});

const REMEMBERS = `
  import { appendFileSync } from "node:fs";
  export function register(ctx) {
    ctx.registerMemoryProvider({
      name: "notes",
      prefetch: ({ profile }) => "the deploy key of " + profile + " is in the safe",
      sync: ({ answer }) => appendFileSync(process.env.HOME + "/synced.log", answer + "\\n"),
    });
  }`;

test("a board worker reads the memory that a plugin of its profile brings, as data behind the words of its task", async (t) => {
  const complete = { tool_calls: [{ name: "kanban_complete", arguments: { summary: "deployed" } }] };
  const made = await world(t, {
    model: { script: { pick: "history", replies: [complete, { text: "it is done" }] } },
    name: "m",
    config: "",
  });
  write(made.work, {
    "notes/plugin.yaml": "name: notes\nversion: 1.0.0\ndescription: Remembers.\nmain: index.mjs\n",
    "notes/index.mjs": REMEMBERS,
  });
  const installed = await made.run(["plugins", "install", "./notes", "--enable", "-y"]);
  assert.equal(installed.code, 0, installed.err);
  await made.owner();
  const { id } = await made.json<{ readonly id: string }>("kanban", "create", "deploy", "--assignee", "default");
  const { task } = await made.settled(id);
  assert.equal(task.status, "done");
  const first = JSON.stringify(made.model.chats()[0]?.body?.messages);
  assert.match(first, /<memory source=\\"notes\\">.*the deploy key of default is in the safe/);
});
