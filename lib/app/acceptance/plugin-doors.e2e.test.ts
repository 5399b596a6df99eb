import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";

/** A home with one plugin whose `register` has this body. */
async function withPlugin(
  t: TestContext,
  body: string,
  { config = "", manifest = "", model }: { config?: string; manifest?: string; model?: object } = {},
): Promise<World> {
  const made = await world(t, {
    ...(model === undefined ? {} : { model, name: "m" }),
    config: `${config}plugins: {enabled: [doors]}\n`,
  });
  const dir = join(made.home.dir, "plugins/doors");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "plugin.yaml"), `name: doors\nmain: index.mjs\n${manifest}`);
  writeFileSync(join(dir, "index.mjs"), `export async function register(ctx) {\n${body}\n}\n`);
  return made;
}

const ROBOT = `
  ctx.registerModelProvider({
    name: "robot",
    defaultModel: "r1",
    models: async () => ["r1", "r2"],
    async *stream({ model, messages, apiKey, tools }) {
      const last = messages.at(-1);
      if (last.content === "fail") throw Object.assign(new Error("the robot is out of order"), { status: 401 });
      if (last.content === "list" && tools.some(({ name }) => name === "read_file")) {
        yield { type: "tool_call", name: "read_file", arguments: { path: "a.txt" } };
        return;
      }
      messages.length = 0; // a copy, so that it hurts no conversation
      yield { type: "reasoning", text: "let me see" };
      yield { type: "text", text: model + " " + (apiKey === undefined ? "no key" : apiKey === "k-123456") + " " };
      yield { type: "text", text: last.role === "tool" ? "read " + last.content.includes("alpha") : "heard " + last.content };
      yield { type: "usage", input: 5, output: 7 };
    },
  });`;

test("a turn is answered by the model provider of a plugin, with tools, and with the key of the settings", async (t) => {
  proves(t, "plugin.registers");
  const made = await withPlugin(t, ROBOT, {
    config: "providers: {robot: {api_key: k-123456}}\n",
  });
  writeFileSync(join(made.work, "a.txt"), "alpha\n");
  const said = async (...args: string[]) => {
    const { code, out, err } = await made.run(args);
    return [code, out.trim() || err.trim()];
  };
  assert.deepEqual(await said("-z", "hello", "--provider", "robot", "--model", "r1"), [0, "r1 true heard hello"]);
  assert.deepEqual(await said("-z", "list", "-m", "robot:r2"), [0, "r2 true read true"]);
  const [code, text] = await said("-z", "fail", "-m", "robot:r1");
  assert.notEqual(code, 0);
  assert.match(String(text), /the robot is out of order/);
});

test("an auxiliary task of a plugin has a model of its own in the settings", async (t) => {
  const made = await withPlugin(
    t,
    `${ROBOT}
     ctx.registerAuxiliaryTask({ name: "verdicts" });
     ctx.registerCommand({ name: "judge", description: "d", handler: (text) => ctx.llm([{ role: "user", content: text }], { slot: "verdicts" }) });
     ctx.registerCommand({ name: "other", description: "d", handler: (text) => ctx.llm([{ role: "user", content: text }], { slot: "unheard" }) });`,
    { config: "auxiliary: {verdicts: {provider: robot, model: r2}}\n" },
  );
  await made.owner();
  const judged = await made.run(["-z", "/judge hello"]);
  assert.equal(judged.out.trim(), "r2 no key heard hello");
  const other = await made.run(["-z", "/other hello"]);
  assert.match(other.out + other.err, /no auxiliary task is called unheard/);
});

test("the context engine that the settings name writes the summaries of conversations", async (t) => {
  const made = await withPlugin(
    t,
    `const { appendFileSync } = await import("node:fs");
     ctx.registerContextEngine({
       name: "shorthand",
       summarize: async ({ instructions, text, maxTokens }) => {
         appendFileSync(ctx.home + "/asked", [instructions.length > 0, text.includes("TRANSCRIPT"), maxTokens > 0].join(" ") + "\\n");
         return { text: "the summary of the plugin" };
       },
     });`,
    {
      config: "compression: {engine: shorthand, protect_first_n: 1, protect_last_n: 2}\n",
      model: { script: { pick: "history", replies: [{ text: "one" }] } },
    },
  );
  const first = await made.run(["-z", "say one"]);
  assert.equal(first.code, 0, first.err);
  for (let turn = 0; turn < 4; turn++) {
    const next = await made.run(["-c", "-z", `say ${turn} ${"word ".repeat(400)}`]);
    assert.equal(next.code, 0, next.err);
  }
  const compressed = await made.run(["-c", "-z", "/compress"]);
  assert.equal(compressed.code, 0, compressed.err + compressed.out);
  assert.match(readFileSync(join(made.home.dir, "plugin-data/doors/asked"), "utf8"), /^true true true$/m);
  const after = await made.run(["-c", "-z", "go on"]);
  assert.equal(after.code, 0, after.err);
  assert.match(JSON.stringify(made.model.chats().at(-1)), /the summary of the plugin/);
});

const PAGER = `
  const { createServer } = await import("node:http");
  const { appendFileSync, writeFileSync } = await import("node:fs");
  const note = (line) => appendFileSync(ctx.home + "/pager.log", line + "\\n");
  ctx.registerPlatform({
    name: "pager",
    summary: "Pagers.",
    credentials: ["TOKEN"],
    textMax: 500,
    create: ({ setting, receive }) => {
      let server;
      return {
        account: "pager-bot",
        connect: async () => {
          if (setting("TOKEN") !== "right") throw Object.assign(new Error("the token is wrong"), { code: "auth_failed" });
          server = createServer(async (request, response) => {
            let body = "";
            for await (const piece of request) body += piece;
            response.end(await receive(JSON.parse(body)));
          });
          await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
          writeFileSync(ctx.home + "/port", String(server.address().port));
        },
        disconnect: async () => {
          server?.close();
          note("disconnected");
        },
        format: (markdown) => markdown.replaceAll("*", ""),
        send: async ({ chatId, text }) => {
          note("sent " + chatId + " " + text);
          return { messageId: "m" + Date.now() };
        },
      };
    },
  });`;

test("a chat on a platform of a plugin is a conversation like any other, and ends with its plugin", async (t) => {
  const made = await withPlugin(t, PAGER, {
    model: { script: { pick: "history", replies: [{ text: "the *answer*" }] } },
  });
  const env = { PAGER_TOKEN: "right", PAGER_ALLOWED_USERS: "7" };
  const data = (name: string) => join(made.home.dir, "plugin-data/doors", name);
  const log = () => (existsSync(data("pager.log")) ? readFileSync(data("pager.log"), "utf8") : "");
  const gateway = made.start(["gateway", "run"], { env });
  await eventually(() => existsSync(data("port")) && readFileSync(data("port"), "utf8") !== "");
  const post = async (message: object) => {
    const url = `http://127.0.0.1:${readFileSync(data("port"), "utf8")}/`;
    return (await fetch(url, { method: "POST", body: JSON.stringify(message) })).text();
  };
  const message = { id: "1", chatId: "c1", userId: "7", userName: "U", text: "hello" };
  assert.equal(await post(message), "accepted");
  assert.equal(await post(message), "duplicate");
  await eventually(() => log().includes("sent c1"));
  assert.match(log(), /^sent c1 the answer$/m);
  const { out } = await made.run(["gateway", "status", "--json"], { env });
  assert.match(out, /"tag":\s*"pager"[\s\S]*"state":\s*"connected"|"pager":[\s\S]*"connected"/);
  assert.equal(await post({ ...message, id: "2", userId: "8", chatId: "c2" }), "accepted");
  assert.equal(await post({ ...message, id: "3", text: "again" }), "accepted");
  await eventually(() => (log().match(/^sent c1 the answer$/gm)?.length ?? 0) === 2);
  assert.equal(log().includes("sent c2"), false, "strangers are not answered where a list says who may talk");
  const disabled = await made.run(["plugins", "disable", "doors"], { env });
  assert.equal(disabled.code, 0, disabled.err);
  await eventually(() => log().includes("disconnected"));
  await gateway.end("SIGINT");
});

const BACKENDS = `
  const { appendFileSync, mkdirSync, writeFileSync } = await import("node:fs");
  const used = (door) => appendFileSync(ctx.home + "/used", door + "\\n");
  const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==", "base64");
  ctx.registerWebSearchProvider({
    name: "doors",
    isAvailable: () => true,
    search: async ({ query }) => (used("web_search"), [{ title: "found " + query, url: "https://found.example/", description: "d" }]),
  });
  ctx.registerTtsProvider({ name: "doors", isAvailable: () => true, speak: async () => (used("tts"), new Uint8Array(Buffer.from("ID3aaaaaaaaaaaaaaaa"))) });
  ctx.registerImageProvider({ name: "doors", isAvailable: () => true, generate: async () => (used("image"), { image: picture }) });
  ctx.registerMemoryProvider({ name: "doors", prefetch: async () => (used("memory"), "the memory of the plugin") });
  mkdirSync(ctx.home + "/skill", { recursive: true });
  writeFileSync(ctx.home + "/skill/SKILL.md", "---\\nname: opening\\ndescription: Opens doors.\\n---\\nPush.\\n");
  ctx.registerSkill({ name: "opening", dir: ctx.home + "/skill" });
  ctx.registerProxyAdapter({
    name: "doorsproxy",
    allowedPaths: ["/v1/chat/completions"],
    isAuthenticated: () => true,
    state: () => ({}),
    getCredential: async () => undefined,
    getRetryCredential: async () => undefined,
  });
  ctx.registerTool({ name: "doors_tool", description: "t", schema: { type: "object" }, risk: "read", handler: async () => (used("tool"), ctx.dispatchTool("read_file", { path: "a.txt" })) });
  ctx.registerCommand({ name: "doors-say", description: "d", handler: async (text, { sessionId }) => "queued " + (sessionId !== null && (await ctx.injectMessage("more", "user", { sessionId }))) });
  ctx.registerCliCommand({ name: "doors-cli", description: "d", handler: () => "of the plugin " + (ctx.config?.unit) + " " + ctx.secret("DOORS_KEY") });`;

test("what a plugin registers for tools, turns and commands is used by them", async (t) => {
  proves(t, "plugin.registers");
  const steps = [
    { name: "web_search", arguments: { query: "tea" } },
    { name: "text_to_speech", arguments: { text: "hello" } },
    { name: "image_generate", arguments: { prompt: "a door" } },
    { name: "doors_tool", arguments: {} },
  ];
  const replies = [...steps.map((step) => ({ tool_calls: [step] })), { text: "done" }];
  const made = await withPlugin(t, BACKENDS, {
    manifest: "requires_env: [DOORS_KEY]\nprovides_cli: [doors-cli]\n",
    model: { script: { pick: "history", replies } },
    config: `  context_length: 128000
web: {search_backend: doors}
tts: {provider: doors}
image_gen: {provider: doors}
tools: {tool_search: {enabled: "false"}}
`,
  });
  writeFileSync(join(made.work, "a.txt"), "alpha\n");
  const env = { DOORS_KEY: "k9" };
  const turn = await made.run(["-z", "use them all", "--yolo"], { env });
  assert.deepEqual([turn.code, turn.out], [0, "done\n"], turn.err);
  const request = JSON.stringify(made.model.chats().at(-1));
  for (const part of ["found tea", "the memory of the plugin", "alpha", "doors:opening"])
    assert.ok(request.includes(part), `${part} in ${request}`);
  const used = readFileSync(join(made.home.dir, "plugin-data/doors/used"), "utf8").trim().split("\n");
  assert.deepEqual([...new Set(used)].toSorted(), ["image", "memory", "tool", "tts", "web_search"]);
  assert.match((await made.run(["doors-cli"], { env })).out, /^of the plugin undefined k9$/m);
  assert.match((await made.run(["proxy", "providers"], { env })).out, /doorsproxy/);
  const { out } = await made.run(["plugins", "list", "--json"], { env });
  assert.match(out, /"key":\s*"doors"/);
});
