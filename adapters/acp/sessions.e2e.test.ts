import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { type CreateElicitationRequest, type McpServer, methods } from "@agentclientprotocol/sdk";
import { editor } from "../../fixtures/e2e/acp-editor.js";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { type World, world } from "../../fixtures/e2e/world.js";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { systemSpawner } from "../../lib/base/process/spawn-system.js";

const scripted = (t: TestContext, replies: readonly Reply[], config?: string) =>
  world(t, { model: { script: { replies } }, name: "any", ...(config === undefined ? {} : { config }) });
const call = (name: string, args: object = {}): Reply => ({ tool_calls: [{ name, arguments: args }] });

/** One red point. */
const POINT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";

/** What the last call of the conversation answered. */
const resultOf = (made: World): string =>
  String(
    made.model
      .chats()
      .at(-1)
      ?.body?.messages.findLast(({ role }) => role === "tool")?.content,
  );

const thoughts = (used: Awaited<ReturnType<typeof editor>>): string =>
  used
    .of("agent_thought_chunk")
    .map(({ content }) => (content.type === "text" ? content.text : ""))
    .join("");

test("an image of a prompt reaches the model, and its file is not left in the cache", async (t) => {
  const made = await world(t, { model: { script: { replies: [{ text: "Red." }] } }, name: "gpt-4o" });
  const used = await editor(t, made);
  assert.equal(used.welcome.agentCapabilities?.promptCapabilities?.image, true);
  const sessionId = await used.open();
  const { stopReason } = await used.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [
      { type: "text", text: "what is it?" },
      { type: "image", mimeType: "image/png", data: POINT },
    ],
  });
  assert.equal(stopReason, "end_turn");
  const [request] = made.model.chats();
  const asked = request?.body?.messages.filter(({ role }) => role === "user").at(-1);
  const parts = (asked?.content ?? []) as { readonly type: string }[]; // a message with an image has parts
  assert.deepEqual(
    parts.filter(({ type }) => type === "image_url"),
    [{ type: "image_url", image_url: { url: `data:image/png;base64,${POINT}` } }],
  );
  assert.deepEqual(readdirSync(join(made.home.cache, "acp")), []);
});

test("the editor lists the models and selects one for its session", async (t) => {
  const made = await scripted(t, [{ text: "One." }, { text: "Two." }]);
  const used = await editor(t, made);
  const { sessionId, configOptions = [] } = await used.agent.request(methods.agent.session.new, {
    cwd: made.work,
    mcpServers: [],
  });
  const current = (options: typeof configOptions | undefined) =>
    options?.find(({ id }) => id === "model")?.currentValue;
  assert.equal(current(configOptions), "custom:any");
  assert.equal(await used.prompt(sessionId, "one"), "end_turn");
  const choose = (value: string) =>
    used.agent.request(methods.agent.session.setConfigOption, { sessionId, configId: "model", value });
  const answer = await choose("custom:fake-1");
  assert.equal(current(answer.configOptions), "custom:fake-1");
  assert.equal(await used.prompt(sessionId, "two"), "end_turn");
  assert.deepEqual(
    made.model.chats().map(({ body }) => body?.model),
    ["any", "fake-1"],
  );
  await assert.rejects(choose("no such model"), /no option/);
  await used.until(() => current(used.of("config_option_update").at(-1)?.configOptions) === "custom:fake-1");
});

test("an MCP server of the editor serves its session alone, asks through the editor, and ends with the session", async (t) => {
  const tool = "mcp_every_trigger_elicitation_request";
  const made = await scripted(t, [call(tool), { text: "A" }, call("mcp_small_echo", { text: "hi" }), { text: "B" }]);
  const asked: CreateElicitationRequest[] = [];
  const used = await editor(t, made, {
    capabilities: { elicitation: { form: {} } },
    elicit: async (request) => {
      asked.push(request);
      return { action: "accept", content: { name: "Ada" } };
    },
  });
  assert.deepEqual(used.welcome.agentCapabilities?.mcpCapabilities, { http: true, sse: true });
  const servers: McpServer[] = [
    {
      name: "every",
      command: process.execPath,
      args: [resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js")],
      env: [],
    },
    {
      name: "small",
      command: process.execPath,
      args: [resolve("fixtures/mcp/small.mjs")],
      env: [{ name: "EDITOR_MARK", value: made.home.dir }],
    },
    { name: "bad/name", command: "none", args: [], env: [] },
  ];
  const { sessionId } = await used.agent.request(methods.agent.session.new, { cwd: made.work, mcpServers: servers });
  assert.equal(await used.prompt(sessionId, "ask"), "end_turn");
  const [form] = asked;
  assert.ok(form?.mode === "form" && "requestedSchema" in form);
  assert.match(form.message, /^MCP server every: /);
  assert.match(JSON.stringify(form.requestedSchema), /"name":\{[^}]*"type":"string"/);
  assert.match(resultOf(made), /Ada/);
  const other = await used.open();
  assert.equal(await used.prompt(other, "echo"), "end_turn");
  assert.match(resultOf(made), /unknown tool|no tool|not exist|not available/i);
  await used.until(() => thoughts(used).includes("bad/name"));
  assert.match(thoughts(used), /MCP server bad\/name of the editor is not used: the name may have/);
  assert.doesNotMatch(thoughts(used), /MCP server (every|small)/);
  const programs = () => systemSpawner.marked("EDITOR_MARK", made.home.dir);
  assert.equal(programs().length, 1);
  await used.agent.request(methods.agent.session.close, { sessionId });
  await eventually(() => programs().length === 0);
});

test("further directories are named as no part of the session", async (t) => {
  const made = await scripted(t, [{ text: "Done." }]);
  const used = await editor(t, made);
  const more = join(made.work, "more");
  mkdirSync(more);
  assert.equal(used.welcome.agentCapabilities?.sessionCapabilities?.additionalDirectories ?? undefined, undefined);
  await used.agent.request(methods.agent.session.new, {
    cwd: made.work,
    mcpServers: [],
    additionalDirectories: [more],
  });
  await used.until(() => thoughts(used).includes(`not part of the session: ${more}`));
});

test("a deleted session is gone from the list, and one that is open is closed first", async (t) => {
  const made = await scripted(t, [{ text: "One." }, { text: "Two." }]);
  const used = await editor(t, made);
  const kept = await used.open();
  await used.prompt(kept, "one");
  const id = await used.open();
  await used.prompt(id, "two");
  await used.agent.request(methods.agent.session.delete, { sessionId: id });
  const { sessions } = await used.agent.request(methods.agent.session.list, {});
  assert.deepEqual(
    sessions.map(({ sessionId }) => sessionId),
    [kept],
  );
  await assert.rejects(used.prompt(id, "three"), /not open here/);
});

test("/tools in an editor lists its own toolset", async (t) => {
  const made = await scripted(t, []);
  const used = await editor(t, made);
  const id = await used.open();
  assert.equal(await used.prompt(id, "/tools"), "end_turn");
  assert.match(used.said(), /off clarify +not offered: not in agent-acp/);
});
