import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { noTmux, openTerminal } from "../../../fixtures/e2e/tmux.js";
import { world } from "../../../fixtures/e2e/world.js";
import type { Reply, ScriptedCall, ScriptRequest } from "../../../fixtures/servers/model/script.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { workerHome } from "../../../fixtures/worlds/worker-home.js";

const CAPTURE: ScriptedCall = { name: "computer_use", arguments: { action: "capture", app: "Noop" } };
const CLICK: ScriptedCall = { name: "computer_use", arguments: { action: "click", element: 1 } };

/** One call a round. */
const calling = (...calls: readonly ScriptedCall[]): readonly Reply[] => calls.map((call) => ({ tool_calls: [call] }));

/** Tools that the driver was asked for. */
const toolsIn = (log: string): readonly string[] =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => String(JSON.parse(line).tool))
    : [];

async function noopWorld(t: TestContext, replies: readonly Reply[]) {
  const made = await world(t, { model: { script: { replies } }, name: "any" });
  const log = join(made.work, "calls.jsonl");
  const env = { AGENT_COMPUTER_USE_BACKEND: "noop", AGENT_NOOP_DRIVER_LOG: log };
  return { made, env, log };
}

test("the example of the topic does what the topic says, line by line", async (t) => {
  const { made, env, log } = await noopWorld(t, [...calling(CAPTURE, CLICK), { text: "pressed" }]);
  const topic = readFileSync("lib/help/topics/desktop.md", "utf8");
  const example = topic.split("## Try it without a display")[1] ?? "";
  const lines = [...example.matchAll(/^ {4}agent (.*)$/gm)].map(([, line = ""]) => line);
  assert.equal(lines.length, 3);
  for (const line of lines) {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
    const { code, err } = await made.run(words, { env });
    assert.equal(code, 0, `${line}: ${err}`);
  }
  assert.deepEqual(toolsIn(log).slice(-2), ["get_window_state", "click"]);
  assert.match(readFileSync(log, "utf8").trim().split("\n").at(-1) ?? "", /"button":"left"/);
});

test("a secret that is known is not typed, in one piece or in several, also with --yolo", async (t) => {
  const secret = "x7Kp2vQ9mZ4tR8wL1nB6";
  const type = (text: string): ScriptedCall => ({ name: "computer_use", arguments: { action: "type", text } });
  const pieces = [secret.slice(0, 10), secret.slice(10)] as const;
  const calls = [CAPTURE, type(`my key is ${secret}`), type("harmless "), type(pieces[0]), type(pieces[1])];
  const { made, env, log } = await noopWorld(t, [...calling(...calls), { text: "done" }]);
  writeFileSync(join(made.home.dir, ".env"), `ACME_API_KEY=${secret}\n`, { mode: 0o600 });
  const { code, err } = await made.run(["-t", "computer_use", "--yolo", "-z", "go"], { env });
  assert.equal(code, 0, err);
  const sent = made.model.requests.map(({ raw }) => raw).at(-1) ?? "";
  assert.equal(sent.split("the text holds a secret, which is never typed").length - 1, 2);
  assert.deepEqual(
    toolsIn(log).filter((tool) => tool === "type_text"),
    ["type_text", "type_text"],
  );
  assert.ok(!readFileSync(log, "utf8").includes(pieces[1]));
});

test("an owner that is killed leaves no driver behind", async (t) => {
  const wait: ScriptedCall = { name: "terminal", arguments: { command: "touch begun; sleep 600; true" } };
  const { made, env, log } = await noopWorld(t, calling(CAPTURE, wait));
  const turn = made.start(["-t", "computer_use,terminal", "--yolo", "-z", "go"], { env });
  await eventually(() => existsSync(join(made.work, "begun")));
  assert.ok(toolsIn(log).includes("get_window_state"));
  assert.ok(made.processes().length > 1, "the driver runs beside its owner");
  await turn.end("SIGKILL");
  await made.alone();
});

test("in line mode an action on the desktop is asked about in the live area, and done once it is allowed", {
  skip: noTmux() ?? false,
}, async (t) => {
  const { made, env, log } = await noopWorld(t, [...calling(CAPTURE, CLICK), { text: "all done" }]);
  const terminal = await openTerminal(
    t,
    { ...made.env, ...env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program },
    made.work,
  );
  await terminal.type('clear; "$NODE" "$AGENT" --inline -t computer_use');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Enter: send"));
  await terminal.type("go");
  await terminal.press("Enter");
  const asked = await terminal.until((screen) => screen.includes("›[d]eny‹"));
  assert.match(asked, /Noop/);
  assert.ok(!toolsIn(log).includes("click"));
  await terminal.press("M-a");
  await terminal.press("o");
  await terminal.until((screen) => screen.includes("all done"));
  assert.ok(toolsIn(log).includes("click"));
});

/** The worker captures, clicks, and ends its task with what it was told. */
function worker({ messages }: ScriptRequest): Reply {
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
  const next = [CAPTURE, CLICK][results.length];
  if (next !== undefined) return { tool_calls: [next] };
  const summary = results.join("\n");
  return results.length === 2
    ? { tool_calls: [{ name: "kanban_complete", arguments: { summary } }] }
    : { text: "done" };
}

test("a board worker acts on the desktop that kanban.worker_env gives it, where a rule allows it, and is denied without", async (t) => {
  const model = await startModelServer({ script: worker });
  t.after(() => model.close());
  const dir = mkdtempSync(join(tmpdir(), "desktop-worker-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = workerHome(
    t,
    `model: { provider: custom, default: m1, base_url: "${model.url}", context_length: 128000 }
tools: { tool_search: { enabled: 'false' } }
kanban: { worker_env: [AGENT_COMPUTER_USE_BACKEND, AGENT_NOOP_DRIVER_LOG] }
`,
    { AGENT_COMPUTER_USE_BACKEND: "noop", AGENT_NOOP_DRIVER_LOG: join(dir, "calls.jsonl") },
  );
  await home.owner();
  const summaryOf = async (title: string) => {
    const id = await home.create(title, "press OK");
    return (await home.task(id, ({ task }) => task.status === "done")).runs.at(-1)?.summary;
  };
  assert.match(String(await summaryOf("without a rule")), /agent permissions allow .*desktop:click@Noop/);
  await home.cli("permissions", "allow", "desktop:*@Noop");
  assert.match(String(await summaryOf("with a rule")), /ok\W+true/);
});
