import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { fixture, installed } from "../../../fixtures/mcp/world.js";
import { roundOf, type ScriptProgram } from "../../../fixtures/servers/model/script.js";
import { statPathSync } from "../../base/fs/files.js";

/** Calls one tool of an MCP server, then says what came back. */
const calling =
  (name: string, args: Readonly<Record<string, unknown>> = {}): ScriptProgram =>
  (request) => {
    if (roundOf(request) === 0) return { tool_calls: [{ name, arguments: args }] };
    return { text: `It said ${String(request.messages.at(-1)?.content).replace(/\s+/g, " ")}` };
  };

/** A board worker that calls the tool between looking and completing. */
const worker: ScriptProgram = (request) => {
  const steps = [
    { name: "kanban_show", arguments: {} },
    { name: "mcp_s1_fine", arguments: {} },
    { name: "kanban_complete", arguments: { summary: "called" } },
  ];
  const step = steps[roundOf(request)];
  return step === undefined ? { text: "Done." } : { tool_calls: [step] };
};

interface Place {
  readonly made: World;
  /** Servers that were started since the last time it was asked, by pid. */
  started(): readonly number[];
}

/** A home with so many servers, each of which notes its start. */
async function servers(t: TestContext, count: number, more: Readonly<Record<string, unknown>> = {}): Promise<Place> {
  const noted = mkdtempSync(join(tmpdir(), "agent-mcp-starts-"));
  const counter = join(noted, "starts");
  writeFileSync(counter, "");
  const entry = { ...fixture("hostile.mjs", `--counter=${counter}`), tools: { include: ["fine"] }, ...more };
  const entries = Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, entry]));
  const config = `  context_length: 128000\nmcp_servers: ${JSON.stringify(entries)}\nmcp: {initial_wait_seconds: 60}\ntools: {tool_search: {enabled: "false"}}\n`;
  const made = await world(t, { config, model: { scripts: { call: calling("mcp_s1_fine"), worker } } });
  t.after(() => rmSync(noted, { recursive: true, force: true }));
  let seen = 0;
  return {
    made,
    started: () => {
      const lines = readFileSync(counter, "utf8")
        .trim()
        .split("\n")
        .filter((line) => line !== "");
      const fresh = lines.slice(seen).map((line) => Number(line.split(" ")[1]));
      seen = lines.length;
      return fresh;
    },
  };
}

const isAlive = (pid: number): boolean => statPathSync(`/proc/${pid}`) !== undefined;

test("MC9, MC10: known servers cost no process in owner, sessions and workers; eight workers that call one share it", async (t) => {
  const { made, started } = await servers(t, 8);
  const first = await made.run(["-z", "call it", "-m", "script:call"]);
  assert.match(first.out, /It said .*"result":"fine"/, first.err);
  assert.equal(started().length, 8);
  await made.owner();
  const plain = await made.run(["-z", "plain words", "-m", "script:echo"]);
  assert.equal(plain.code, 0, plain.err);
  assert.deepEqual(started(), []);
  const offered = made.model.chats().at(-1)?.body?.tools ?? [];
  assert.equal(JSON.stringify(offered).match(/"mcp_s\d_fine"/g)?.length, 8);
  const ids: string[] = [];
  for (let n = 0; n < 8; n++) {
    const { id } = await made.json<{ id: string }>(
      "kanban",
      "create",
      `call the server ${n}`,
      "--assignee",
      "default",
      "--model",
      "script:worker",
    );
    ids.push(id);
  }
  for (const id of ids) assert.equal((await made.settled(id)).task.status, "done");
  assert.equal(started().length, 1);
});

test("without an owner the tools of known servers are listed, and none of them is started", async (t) => {
  const { made, started } = await servers(t, 2);
  const listed = async () => (await made.run(["tools", "list"])).out.match(/mcp_s\d_fine/g) ?? [];
  assert.deepEqual(await listed(), []);
  assert.deepEqual(started(), []);
  await made.run(["-z", "call it", "-m", "script:call"]);
  assert.equal(started().length, 2);
  assert.deepEqual(await listed(), ["mcp_s0_fine", "mcp_s1_fine"]);
  assert.deepEqual(started(), []);
});

test("the example of the help topic runs line by line, with a real server", async (t) => {
  const topic = readFileSync(join("lib", "help", "topics", "mcp.md"), "utf8");
  const lines = /## An example\n(?:.*\n)*?((?: {4}agent .*\n)+)/.exec(topic)?.[1]?.trim().split(/\n +/) ?? [];
  const { command, args } = installed("filesystem");
  // Written out: the server takes the directory of the conversation as a second root once it has asked for it, before or after the first call.
  let notes = "";
  const call: ScriptProgram = (request, turn) => calling("mcp_notes_list_directory", { path: notes })(request, turn);
  const made = await world(t, {
    config: "  context_length: 128000\nmcp: {initial_wait_seconds: 60}\n",
    model: { scripts: { call } },
  });
  notes = join(made.work, "notes");
  mkdirSync(notes);
  writeFileSync(join(notes, "today.txt"), "x");
  const said: string[] = [];
  for (const line of lines) {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "").slice(1);
    const at = words.indexOf("npx"); // the package is installed here already
    const argv = at < 0 ? words : [...words.slice(0, at), command, ...args, ...words.slice(at + 3)];
    const { out, err, code } = await made.run(argv[0] === "-z" ? [...argv, "-m", "script:call"] : argv);
    assert.equal(code, 0, `${line}: ${err}${out}`);
    said.push(out);
  }
  const [added = "", tools = "", answer = "", status = "", configured = "", removed = ""] = said;
  assert.match(added, /notes: connected in \d+ ms, 14 tools/);
  assert.match(tools, /mcp_notes_read_text_file/);
  assert.match(answer, /It said .*\[FILE\] today\.txt/);
  assert.match(status, /^notes .* 14 tools/);
  assert.match(configured, /2/);
  assert.match(removed, /notes removed/);
  assert.equal((await made.run(["mcp", "status", "notes"])).code, 1);
});

test("servers of an owner that is killed end with it, each time", { skip: process.platform !== "linux" }, async (t) => {
  const { made, started } = await servers(t, 2, { start: "eager" });
  const all: number[] = [];
  for (let n = 0; n < 5; n++) {
    const owner = await made.owner();
    const said = await made.run(["-z", "call it", "-m", "script:call"]);
    assert.match(said.out, /"result":"fine"/, said.err);
    // The call needs one of them: the other one may still be on its way.
    const wanted = all.length + 2;
    await eventually(() => all.push(...started()) >= wanted);
    await owner.end("SIGKILL");
    all.push(...started());
    await eventually(() => all.every((pid) => !isAlive(pid)));
  }
  assert.equal(all.length, 10);
});

test("safe mode starts no server and offers no tool of one", async (t) => {
  const { made, started } = await servers(t, 1, { start: "eager" });
  const { code, err } = await made.run(["-z", "hello", "--safe-mode"]);
  assert.equal(code, 0, err);
  assert.deepEqual(started(), []);
});
