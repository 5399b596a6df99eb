import assert from "node:assert/strict";
import { test } from "node:test";
import type { McpTestOutcome, McpToolInfo } from "../contracts/mcp/mcp.js";
import type { McpAddOptions } from "../contracts/mcp/served.js";
import { createMcpServers, type McpServersDeps } from "./mcp-servers.js";
import type { SettingChange } from "./store-change.js";

const tool = (remote: string): McpToolInfo => ({
  server: "files",
  name: `mcp_files_${remote}`,
  remote,
  description: `does ${remote}`,
  readOnly: false,
  destructive: false,
  enabled: true,
});
const FOUND: McpTestOutcome = { ok: true, connect_ms: 12, tools: ["read", "write", "move"].map(tool) };
const GONE: McpTestOutcome = { ok: false, connect_ms: 5, tools: [], error: "spawn npx ENOENT" };

interface Given {
  readonly outcome?: McpTestOutcome;
  readonly outcomes?: readonly McpTestOutcome[];
  readonly entries?: Record<string, unknown>;
  /** What a person answers; absent: no one is there. */
  readonly answers?: readonly string[];
  readonly hidden?: string;
  readonly logsIn?: boolean;
}

function setup(given: Given = {}) {
  const kept: SettingChange[] = [];
  const probed: unknown[] = [];
  const said: string[] = [];
  const answers = [...(given.answers ?? [])];
  const outcomes = [...(given.outcomes ?? [])];
  const { signal } = new AbortController();
  const deps: McpServersDeps = {
    mcp: {
      probe: async (_, entry) => {
        probed.push(entry);
        return outcomes.shift() ?? given.outcome ?? FOUND;
      },
    },
    entries: () => given.entries ?? {},
    env: { HOME: "/home/u" },
    keep: async (changes) => {
      kept.push(...changes);
    },
    person:
      given.answers === undefined
        ? undefined
        : {
            ask: async (question) => {
              said.push(question);
              return answers.shift() ?? "";
            },
            say: async (line) => {
              said.push(line);
            },
            signal,
          },
    hidden: async () => given.hidden ?? "",
    login: async () => given.logsIn === true,
    signal,
  };
  return { servers: createMcpServers(deps), kept, probed, said };
}

const OPTIONS: McpAddOptions = {
  name: "files",
  args: [],
  env: [],
  yes: false,
  force: false,
  header: "Authorization",
  parallel: false,
};

const saved = (kept: readonly SettingChange[], key: string): unknown => {
  const change = kept.find((one) => one.key === key);
  return change?.text === undefined ? undefined : change.typed === true ? JSON.parse(change.text) : change.text;
};

test("a server that answers is saved with the tools that a person chose", async () => {
  const { servers, kept, said } = setup({ answers: ["1,move"] });
  const added = await servers.add({ ...OPTIONS, command: "npx", args: ["-y", "pkg", "/dir"], parallel: true });
  assert.deepEqual([added.saved, added.include], [true, ["read", "move"]]);
  assert.deepEqual(saved(kept, "mcp_servers.files"), {
    command: "npx",
    args: ["-y", "pkg", "/dir"],
    supports_parallel_tool_calls: true,
    tools: { include: ["read", "move"] },
  });
  assert.match(said.join("\n"), /1 {2}read {2}does read/);
});

test("without a terminal, with -y or with an empty answer every tool is enabled", async () => {
  for (const [given, yes] of [
    [{}, false],
    [{ answers: [] }, true],
    [{ answers: [""] }, false],
  ] as const) {
    const { servers, kept } = setup(given);
    await servers.add({ ...OPTIONS, url: "https://mcp.example/", yes });
    assert.deepEqual(saved(kept, "mcp_servers.files"), { url: "https://mcp.example/" });
  }
});

test("a server that cannot be reached is saved with --force only", async () => {
  const { servers, kept } = setup({ outcome: GONE });
  const refused = await servers.add({ ...OPTIONS, command: "nowhere" });
  assert.deepEqual([refused.saved, refused.outcome.ok, kept], [false, false, []]);
  const forced = await servers.add({ ...OPTIONS, command: "nowhere", force: true });
  assert.deepEqual([forced.saved, saved(kept, "mcp_servers.files")], [true, { command: "nowhere" }]);
});

test("secrets go to .env, and config.yaml refers to them", async () => {
  const { servers, kept, probed } = setup({ hidden: "tok-123" });
  await servers.add({ ...OPTIONS, name: "my-git", url: "https://mcp.example/", auth: "header" });
  assert.equal(saved(kept, "MCP_MY_GIT_TOKEN"), "tok-123");
  assert.deepEqual(saved(kept, "mcp_servers.my-git"), {
    url: "https://mcp.example/",
    headers: { Authorization: "Bearer ${MCP_MY_GIT_TOKEN}" },
  });
  assert.deepEqual(Object(probed[0]).headers, { Authorization: "Bearer tok-123" }, "it is tried with the value");
  await servers.add({
    ...OPTIONS,
    command: "srv",
    env: ["MODE=fast", "API_KEY=k-1", "DB_URL", "OTHER_TOKEN=${OTHER_TOKEN}"],
  });
  assert.deepEqual(Object(saved(kept, "mcp_servers.files")).env, {
    MODE: "fast",
    API_KEY: "${MCP_FILES_API_KEY}",
    DB_URL: "${MCP_FILES_DB_URL}",
    OTHER_TOKEN: "${OTHER_TOKEN}",
  });
  assert.deepEqual([saved(kept, "MCP_FILES_API_KEY"), saved(kept, "MCP_FILES_DB_URL")], ["k-1", "tok-123"]);
  assert.ok(!kept.some(({ key, text }) => key.startsWith("mcp_servers") && /tok-123|k-1/.test(text ?? "")));
});

test("the scheme of a header value stays in front of its secret", async () => {
  const { servers, kept } = setup({ hidden: "Basic dTpw" });
  await servers.add({ ...OPTIONS, url: "https://mcp.example/", auth: "header" });
  assert.deepEqual(Object(saved(kept, "mcp_servers.files")).headers, { Authorization: "Basic ${MCP_FILES_TOKEN}" });
  const other = setup({ hidden: "k" });
  await other.servers.add({ ...OPTIONS, url: "https://mcp.example/", auth: "header", header: "X-Key" });
  assert.deepEqual(Object(saved(other.kept, "mcp_servers.files")).headers, { "X-Key": "${MCP_FILES_TOKEN}" });
});

test("a server with a login is saved, logged in to and tried; a login that fails leaves no entry", async () => {
  const { servers, kept } = setup({ outcomes: [GONE, FOUND], answers: [""], logsIn: true });
  const added = await servers.add({ ...OPTIONS, url: "https://mcp.example/", auth: "oauth" });
  assert.deepEqual([added.saved, added.outcome.ok], [true, true]);
  assert.deepEqual(saved(kept, "mcp_servers.files"), { url: "https://mcp.example/", auth: "oauth" });
  const failed = setup({ outcome: GONE, answers: [""] });
  const refused = await failed.servers.add({ ...OPTIONS, url: "https://mcp.example/", auth: "oauth" });
  assert.equal(refused.saved, false);
  assert.deepEqual(failed.kept.at(-1), { key: "mcp_servers.files" });
  const alone = setup({ outcome: GONE });
  const left = await alone.servers.add({ ...OPTIONS, url: "https://mcp.example/", auth: "oauth" });
  assert.deepEqual([left.saved, left.notes], [true, ["agent mcp login files logs in"]]);
});

const WRONG: readonly (readonly [Partial<McpAddOptions>, RegExp])[] = [
  [{ name: "My Server", command: "x" }, /cannot be the name/],
  [{ name: "a.b", command: "x" }, /cannot be the name/],
  [{}, /missing server/],
  [{ command: "x", url: "https://a.example" }, /not both/],
  [{ command: "x", auth: "oauth" }, /--auth applies/],
  [{ url: "https://a.example", env: ["A=1"] }, /--env applies/],
  [{ url: "ftp://a.example" }, /http/],
  [{ command: "x", env: ["1=2"] }, /cannot be a variable/],
  [{ preset: "nothing" }, /no MCP server 'nothing'/],
  [{ preset: "filesystem" }, /needs arguments/],
  [{ url: "https://a.example", auth: "header" }, /missing value/],
];

test("what cannot be added is refused before anything is started", async () => {
  for (const [options, message] of WRONG) {
    const { servers, kept, probed } = setup();
    await assert.rejects(() => servers.add({ ...OPTIONS, ...options }), message);
    assert.deepEqual([kept, probed], [[], []]);
  }
  const { servers } = setup({ entries: { files: { command: "x" } } });
  await assert.rejects(() => servers.add({ ...OPTIONS, command: "x" }), { code: "E_CONFLICT" });
});

test("an entry of the catalogue is installed with its pinned version and what it asks for", async () => {
  const { servers, kept } = setup({ answers: ["/a /b", ""] });
  await servers.install("filesystem", { args: [], env: [], yes: false, force: false });
  assert.deepEqual(saved(kept, "mcp_servers.filesystem"), {
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "/a", "/b"],
  });
  const git = setup({ hidden: "pat" });
  await git.servers.install("github", { name: "hub", args: [], env: [], yes: true, force: false });
  assert.deepEqual(Object(saved(git.kept, "mcp_servers.hub")).headers, { Authorization: "Bearer ${MCP_HUB_TOKEN}" });
  const picked = setup({ answers: ["memory", "none"] });
  assert.deepEqual((await picked.servers.pick()).include, []);
  await assert.rejects(() => setup().servers.pick(), { code: "E_USAGE" });
});

test("configure writes only what changes, and knows the tools of the server", async () => {
  const entries = { files: { command: "x", tools: { exclude: ["move"], prompts: false }, timeout: 60 } };
  const asked = setup({ entries, answers: ["2-3"] });
  await asked.servers.configure("files", { all: false });
  assert.deepEqual(
    asked.kept.map(({ key }) => key),
    ["mcp_servers.files.tools"],
  );
  assert.deepEqual(saved(asked.kept, "mcp_servers.files.tools"), { prompts: false, include: ["write", "move"] });
  const named = setup({ entries });
  await named.servers.configure("files", { all: false, tools: ["mcp_files_read"], timeout: 60, approve: "all" });
  assert.deepEqual(saved(named.kept, "mcp_servers.files.tools"), { prompts: false, include: ["read"] });
  assert.equal(saved(named.kept, "mcp_servers.files.approve"), "all");
  assert.equal(named.kept.length, 2);
  const all = setup({ entries: { files: { command: "x", tools: { include: ["read"] } } } });
  await all.servers.configure("files", { all: true });
  assert.deepEqual(all.kept, [{ key: "mcp_servers.files.tools" }]);
  await assert.rejects(() => named.servers.configure("files", { all: false, tools: ["fly"] }), /no tool 'fly'/);
  await assert.rejects(() => named.servers.configure("other", { all: true }), { code: "E_NOT_FOUND" });
  await assert.rejects(() => named.servers.configure("files", { all: false }), /nothing to change/);
});
