import { type TestContext, test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { noTmux, openTerminal, type Terminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";
import { fixture } from "../../fixtures/mcp/world.js";
import { roundOf, type ScriptProgram } from "../../fixtures/servers/model/script.js";

const skip = noTmux() ?? false;

/** Calls the tool that asks, and repeats its result. */
const script: ScriptProgram = (request) => {
  const last = String(request.messages.at(-1)?.content);
  if (roundOf(request) > 0) return { text: `HEARD ${/Ada.* wants tea/.exec(last)?.[0]}` };
  return { tool_calls: [{ name: "mcp_newer_ask", arguments: { what: "tea" } }] };
};

async function workspace(t: TestContext): Promise<Terminal> {
  const servers = { newer: fixture("newer.mjs", "--ttl=60000") };
  const made = await world(t, {
    model: { script },
    name: "any",
    config: `  context_length: 128000
mcp_servers: ${JSON.stringify(servers)}
mcp: {initial_wait_seconds: 60}
tools: {tool_search: {enabled: "false"}}
`,
  });
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  const terminal = await openTerminal(t, env, made.work);
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await eventually(async () => (await terminal.value("alternate_on")) === "1");
  await terminal.until((screen) => screen.trim() !== "" && !screen.includes("ready>"));
  return terminal;
}

test("MC11: a question of a server is answered in the workspace, in the turn that it belongs to", {
  skip,
}, async (t) => {
  const terminal = await workspace(t);
  await terminal.type("order");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Who wants tea?"));
  await terminal.press("M-a");
  await terminal.until((screen) => screen.includes("Enter: next field")); // it takes an Enter from here on
  await terminal.type("Ada");
  await terminal.until((screen) => /Name \* +Ada/.test(screen));
  await terminal.press("Enter");
  await terminal.until((screen) => !screen.includes("› Name"));
  await terminal.press("Enter");
  await terminal.until((screen) => /HEARD Ada.* wants tea/.test(screen));
});
