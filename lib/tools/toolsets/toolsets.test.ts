import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { proves } from "../../../fixtures/requirements.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import type { ToolCall } from "../../contracts/models/model.js";
import { type AnyTool, defineTool, type ToolDefinition } from "../core/define.js";
import type { ToolEntry } from "../core/entry.js";
import { TOOLS } from "../index.gen.js";
import { createGuardrails } from "../run/guardrails.js";
import { runCalls } from "../run/pipeline.js";
import { defer } from "./defer.js";
import { selectOfferedTools } from "./offered.js";
import { inSet, toolsetsOf, unknownSets } from "./sets.js";
import toolCall from "./tool-call.js";
import toolDescribe from "./tool-describe.js";
import toolSearch from "./tool-search.js";

const fixture = (name: string, toolset: string, more: Partial<ToolDefinition<z.ZodObject>> = {}): AnyTool =>
  defineTool({
    name,
    toolset,
    description: `Does ${name.replaceAll("_", " ")}. More about it.`,
    risk: "write",
    params: z.object({ text: z.string().describe("The text.") }),
    effects: () => ({ reads: [], writes: [] }),
    limits: { ms: 0, chars: 0 },
    preview: () => name,
    run: async ({ text }) => ({ text: `${name}: ${String(text)}` }),
    ...more,
  });

const entryOf = (tool: AnyTool): ToolEntry => ({
  name: tool.name,
  toolset: tool.toolset,
  description: tool.description,
  risk: tool.risk,
  ...(tool.core === false ? { core: false } : {}),
  ...(tool.available || tool.adapt ? { conditional: true } : {}),
  schema: z.toJSONSchema(tool.params) as Record<string, unknown>, // JSON Schema of an object is an object
  load: async () => tool,
});

const one = (name: string, toolset = name) => entryOf(fixture(name, toolset));
const ALL = [
  one("read_file", "file"),
  one("terminal"),
  one("todo"),
  one("clarify"),
  one("send_message", "messaging"),
  one("cronjob"),
  one("web_search", "web"),
  one("web_extract", "web"),
  one("text_to_speech", "tts"),
  one("kanban_show", "kanban"),
];

const presets: [name: string, without: string[]][] = [
  ["agent-cli", []],
  ["agent-gateway", []],
  ["agent-msgt", []],
  ["agent-acp", ["clarify", "text_to_speech", "cronjob"]],
  ["agent-api-server", ["clarify", "send_message"]],
  ["agent-cron", ["clarify", "cronjob"]],
];

for (const [name, without] of presets) {
  test(`${name} has every tool${without.length === 0 ? "" : ` but ${without.join(", ")}`}`, () => {
    const away = ALL.filter((entry) => !inSet(entry, name)).map((entry) => entry.name);
    assert.deepEqual(new Set(away), new Set(without));
  });
}

test("composite sets have the tools of their parts that are there, and a set without tools is no set", () => {
  const sets = new Map(toolsetsOf(ALL).map((set) => [set.name, set.tools]));
  assert.deepEqual(sets.get("debugging"), ["read_file", "terminal", "web_search", "web_extract"]);
  assert.deepEqual(sets.get("search"), ["web_search"]);
  assert.deepEqual(sets.get("coding"), ["read_file", "terminal", "todo", "clarify"]);
  assert.equal(sets.has("browser"), false);
  assert.deepEqual(unknownSets(["file", "nope", "browser", "safe"], ALL), ["nope", "browser"]);
  assert.deepEqual(unknownSets(["safe"], [one("terminal")]), ["safe"]);
});

test("a tool that is not offered says why, and a description may depend on the place", async () => {
  const absent = entryOf(
    fixture("gone", "file", { available: ({ env }) => (env["X"] === "1" ? true : "X is not set") }),
  );
  const said = entryOf(
    fixture("told", "file", { adapt: ({ env }) => ({ description: `here X is ${env["X"] ?? "unset"}` }) }),
  );
  const { context } = benchless();
  const wish = {
    env: {},
    config: context.config,
    toolsets: ["file", "terminal", "odd"],
    disabled: ["terminal"],
    profiles: true,
    withheld: ({ name }: { name: string }) => (name === "read_file" ? "not for you" : undefined),
  };
  const found = await selectOfferedTools([...ALL, absent, said], wish);
  assert.deepEqual(
    found.tools.map(({ name, description }) => [name, description]),
    [["told", "here X is unset"]],
  );
  const why = new Map(found.missing.map((missing) => [missing.name, missing.why]));
  assert.equal(why.get("gone"), "X is not set");
  assert.equal(why.get("read_file"), "not for you");
  assert.equal(why.get("terminal"), "agent.disabled_toolsets names terminal");
  assert.equal(why.get("todo"), "not in file, terminal, odd");
  assert.deepEqual(found.unknown, ["odd"]);
  assert.equal((await selectOfferedTools([absent], { ...wish, env: { X: "1" } })).tools.length, 1);
});

test("other profiles are named in the schemas only where the root has any", async () => {
  const { context } = benchless();
  const wish = { env: {}, config: context.config, toolsets: ["file"], disabled: [], withheld: () => undefined };
  const named = async (profiles: boolean) =>
    (await selectOfferedTools(TOOLS, { ...wish, profiles })).tools
      .filter(({ schema }) => JSON.stringify(schema).includes("cross_profile"))
      .map(({ name }) => name);
  assert.deepEqual(await named(true), ["patch", "write_file"]);
  assert.deepEqual(await named(false), []);
});

const issues = fixture("tracker_list_issues", "tracker", { core: false });
const page = fixture("browser_open_page", "browser", { core: false });
const BRIDGE = [toolCall, toolDescribe, toolSearch].map(entryOf);

const deferrals: [title: string, setting: string, window: number, deferred: number][] = [
  ["small schemas are sent", "auto", 128_000, 0],
  ["a small window gets core tools only", "auto", 63_999, 2],
  ["large schemas are looked up", "auto", 64_000, 2],
  ["false sends them whatever they take", "false", 8_000, 0],
  ["true always has them looked up", "true", 1_000_000, 2],
];

for (const [title, enabled, window, count] of deferrals) {
  test(`tool search: ${title}`, () => {
    const threshold = title.startsWith("large") ? 0 : 10;
    const { context } = benchless({
      "tools.tool_search.enabled": enabled,
      "tools.tool_search.threshold_pct": threshold,
    });
    const tools = [one("read_file", "file"), entryOf(issues), entryOf(page)];
    const { tools: sent, deferred } = defer(tools, [...tools, ...BRIDGE], { window, config: context.config });
    assert.equal(deferred.length, count);
    const names = sent.map((entry) => entry.name);
    assert.deepEqual(
      names,
      count === 0 ? names : ["read_file", "tool_call", "tool_describe", "tool_search"],
      "the three stand in only when something is behind them",
    );
  });
}

test("tool search: what servers and plugins bring is looked up from 1,500 tokens on, and nothing else with it", () => {
  const { context } = benchless({ "tools.tool_search.enabled": "auto" });
  const ofServer = { ...entryOf(issues), origin: { kind: "mcp", name: "tracker" } } as const;
  const large = { ...ofServer, name: "large", description: "x".repeat(6_000) };
  const look = (tools: readonly ToolEntry[]) =>
    defer(tools, [...tools, ...BRIDGE], { window: 1_000_000, config: context.config });
  assert.deepEqual(look([ofServer, entryOf(page)]).deferred, []);
  const { tools, deferred } = look([ofServer, large, entryOf(page)]);
  assert.deepEqual(deferred, [ofServer, large]);
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["browser_open_page", "tool_call", "tool_describe", "tool_search"],
  );
  assert.match(tools.at(-1)?.description ?? "", /Toolsets: tracker\.$/);
});

const isOfWorkers = ({ name }: ToolEntry) => /^kanban_(?:block|comment|complete|heartbeat)$/.test(name);
const isBridge = ({ toolset }: ToolEntry) => toolset === "tool_search";

/** What is sent of these tools with a large window. */
function direct(tools: readonly ToolEntry[], board = false): readonly ToolEntry[] {
  const { context } = benchless({ "tools.tool_search.enabled": "auto" });
  return defer(tools, [...tools, ...TOOLS.filter(isBridge)], { window: 1_000_000, config: context.config, board })
    .tools;
}

test("tool search: of all tools of the product a conversation is sent at most 20 schemas of 24,000 characters, whatever is installed", () => {
  const all = TOOLS.filter((entry) => !isBridge(entry) && !isOfWorkers(entry));
  const sent = direct(all);
  const names = sent.map(({ name }) => name);
  assert.ok(
    sent.length <= 20,
    `${sent.length}: ${names.join(" ")}; tools that most conversations do without have core: false`,
  );
  const chars = sent.reduce(
    (sum, { name, description, schema }) => sum + JSON.stringify({ name, description, schema }).length,
    0,
  );
  assert.ok(chars <= 24_000, `${chars} characters`);
  assert.ok(names.includes("tool_search") && !names.includes("kanban_create"));
  assert.match(sent.find(({ name }) => name === "tool_search")?.description ?? "", /Toolsets: .*\bkanban\b/);
});

test("tool search: twenty tools are sent as they are, with one more those seldom used are looked up", () => {
  const core = Array.from({ length: 18 }, (_, n) => one(`tool_${n}`));
  const few = [...core, entryOf(issues), entryOf(page)];
  assert.deepEqual(direct(few), few);
  assert.deepEqual(
    direct([...few, one("tool_18")]).map(({ name }) => name),
    [...core.map(({ name }) => name), "tool_18", "tool_call", "tool_describe", "tool_search"].toSorted(),
  );
  const long = { ...entryOf(page), description: "x".repeat(24_000) };
  assert.equal(
    direct([one("tool_0"), long]).some(({ name }) => name === long.name),
    false,
    "so are long ones",
  );
});

test("tool search: a board worker, and whoever names the toolset kanban, has the tools of the board as they are", () => {
  const names = direct(
    TOOLS.filter((entry) => !isBridge(entry)),
    true,
  ).map(({ name }) => name);
  assert.ok(["kanban_show", "kanban_complete", "kanban_block"].every((name) => names.includes(name)));
  assert.equal(names.includes("cronjob"), false);
});

test("without seldom used tools nothing stands in for them, however small the window", () => {
  const tools = [one("read_file", "file")];
  const { context } = benchless({ "tools.tool_search.enabled": "true" });
  assert.deepEqual(
    defer(tools, [...tools, ...BRIDGE], { window: 1, config: context.config }).tools.map((entry) => entry.name),
    ["read_file"],
  );
});

test("a tool is found by words, looked at and called, and the call goes through the pipeline under its own name", async (t) => {
  const { call, started } = setup(t);
  const found = JSON.parse(await call("tool_search", { query: "issue tracker" }));
  assert.deepEqual(found.tools, [
    { name: "tracker_list_issues", toolset: "tracker", description: "Does tracker list issues." },
  ]);
  const shown = JSON.parse(await call("tool_describe", { name: "tracker_list_issues" }));
  assert.equal(shown.parameters.properties.text.description, "The text.");
  assert.equal(
    await call("tool_call", { name: "tracker_list_issues", arguments: { text: "a" } }),
    "tracker_list_issues: a",
  );
  assert.equal(
    await call("tool_call", { name: "tracker_list_issues", arguments: '{"text":"b"}' }),
    "tracker_list_issues: b",
  );
  assert.equal(
    await call("browser_open_page", { text: "c" }),
    "browser_open_page: c",
    "its own name is understood too",
  );
  assert.deepEqual(started.slice(2), ["tracker_list_issues", "tracker_list_issues", "browser_open_page"]);
});

test("a call through tool_call is checked like any other: unknown names, wrong arguments, itself", async (t) => {
  const { call } = setup(t);
  assert.match(
    await call("tool_call", { name: "zzz_qqq", arguments: {} }),
    /^Tool 'zzz_qqq' does not exist\. Available tools: tool_call, /,
  );
  assert.match(
    await call("tool_call", { name: "tracker_list_issues", arguments: {} }),
    /Invalid argument 'text' of tracker_list_issues/,
  );
  assert.match(
    await call("tool_call", { name: "tool_call", arguments: { name: "x" } }),
    /there is no tool tool_call to call/,
  );
  assert.match(await call("tool_call", { arguments: {} }), /Invalid argument 'name' of tool_call/);
});

function setup(t: TestContext) {
  const { context } = bench(t);
  const deferred = [issues, page].map(entryOf);
  const started: string[] = [];
  const settings = { warnings: true, hardStop: false, warnAfter: COUNTS, stopAfter: COUNTS };
  const deps = {
    tools: new Map([toolCall, toolDescribe, toolSearch].map((tool) => [tool.name, tool])),
    deferred,
    context: (callId: string, signal: AbortSignal) => ({ ...context, callId, signal, deferred }),
    signal: new AbortController().signal,
    guard: createGuardrails(settings),
    clock: context.ports.clock,
    resultDir: context.home.cache,
  };
  const onStart = async (call: ToolCall) => {
    started.push(call.name);
  };
  const call = async (name: string, args: unknown) => {
    const calls = [{ id: "c", name, arguments: JSON.stringify(args) }];
    const [outcome] = await runCalls(calls, deps, onStart, async () => undefined);
    return outcome?.content ?? "";
  };
  return { call, started };
}

const COUNTS = { exact: 99, sameTool: 99, noProgress: 99 };

/** Settings alone. */
function benchless(config: Readonly<Record<string, unknown>> = {}) {
  const get = ((key: { key: string; default: unknown }) => config[key.key] ?? key.default) as never; // each key is given its own type
  return {
    context: {
      config: {
        get,
        source: () => "default" as const,
        raw: () => undefined,
        hasVariable: () => false,
        onChange: () => () => undefined,
      },
    },
  };
}

test("every tool keeps to the sizes that models are asked to read", () => {
  for (const { name, description, schema } of TOOLS) {
    assert.ok(description.length <= 600, `${name}: ${description.length} characters`);
    const properties = (schema["properties"] ?? {}) as Record<string, { description?: string }>; // JSON Schema of an object
    for (const [param, { description: about }] of Object.entries(properties))
      assert.ok((about ?? "").length <= 120, `${name}.${param}: ${about?.length} characters`);
  }
});

test("every family of tools is in the default set: media, social search, earlier conversations, desktop, web, servers", (t) => {
  proves(t, "tools.families");
  const families = [
    "image_generate",
    "video_generate",
    "text_to_speech",
    "vision_analyze",
    "video_analyze",
    "x_search",
    "session_search",
    "computer_use",
    "web_search",
    "web_extract",
    "browser_navigate",
  ];
  const own = TOOLS.filter((entry) => inSet(entry, "agent-cli")).map(({ name }) => name);
  assert.deepEqual(
    families.filter((name) => !own.includes(name)),
    [],
  );
  const ofServer: ToolEntry = { ...entryOf(issues), toolset: "mcp-tracker", origin: { kind: "mcp", name: "tracker" } };
  assert.ok(inSet(ofServer, "agent-cli"));
});
