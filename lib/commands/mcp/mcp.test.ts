import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { runLine } from "../../../fixtures/sim/run-line.js";
import { AppError } from "../../base/errors.js";
import { silentLog } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import { runSlash, type SlashServices } from "../../cli/run-slash.js";
import type { SlashCall } from "../../contracts/chat/slash.js";
import { mcpLoginFile } from "../../contracts/mcp/logins.js";
import type { McpApi, McpServerStatus, McpTestOutcome, McpToolInfo } from "../../contracts/mcp/mcp.js";
import type { McpAddOptions } from "../../contracts/mcp/served.js";
import { COMMANDS } from "../index.gen.js";

const TOOL: McpToolInfo = {
  server: "files",
  name: "mcp_files_read",
  remote: "read",
  description: "Read a file.\nMore.",
  readOnly: true,
  destructive: false,
  enabled: true,
};
const READY: McpServerStatus = {
  name: "files",
  transport: "stdio",
  state: "ready",
  tools: 1,
  resources: 0,
  prompts: 2,
  pid: 42,
  since: new Date(2026, 0, 31, 9, 5).getTime(),
  shared: true,
  enabled: true,
};
const FAILED: McpServerStatus = {
  name: "web",
  transport: "http",
  state: "failed",
  tools: 0,
  resources: 0,
  prompts: 0,
  last_error: "connection refused",
  last_error_at: new Date(2026, 0, 31, 9, 6).getTime(),
  shared: true,
  enabled: true,
};

function setup(t: TestContext, servers: readonly McpServerStatus[] = [READY]) {
  const dir = mkdtempSync(join(tmpdir(), "mcp-commands-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const done: string[] = [];
  const given: McpAddOptions[] = [];
  const entries: Record<string, unknown> = {
    files: { command: "srv", args: ["/dir"], env: { A_TOKEN: "[secret]" } },
    web: { url: "https://u:p@mcp.example/x?key=1" },
  };
  const find = (name: string) => {
    const found = servers.find((one) => one.name === name);
    if (found === undefined) throw new AppError("E_NOT_FOUND", `no MCP server is called ${name}`);
    return found;
  };
  const outcome: McpTestOutcome = { ok: true, connect_ms: 7, tools: [TOOL] };
  const mcp: McpApi = {
    list: () => servers,
    status: async (name) => (name === undefined ? servers : [find(name)]),
    tools: async (name) => (find(name) === READY ? [TOOL] : []),
    test: async (name) => (find(name) === READY ? outcome : { ...outcome, ok: false, tools: [], error: "refused" }),
    probe: async () => outcome,
    reconnect: async (name) => find(name),
    login: async (name, ask) => {
      await ask.open("https://issuer.example/authorize");
      done.push(`login ${name} ${(await ask.paste?.()) ?? "-"}`);
    },
    reload: async () => {
      done.push("reload");
      return { added: ["a"], removed: [], changed: ["b", "c"] };
    },
  };
  const settings = {
    get: (key: string) => {
      const value = key === "mcp_servers" ? entries : entries[key.split(".")[1] ?? ""];
      return value === undefined ? undefined : { key, value };
    },
    set: async (key: string, text: string) => {
      done.push(`set ${key} ${text}`);
    },
    unset: async (key: string) => {
      done.push(`unset ${key}`);
      return true;
    },
  };
  const mcpControl = {
    add: async (options: McpAddOptions) => {
      given.push(options);
      return { name: options.name, saved: false, outcome, notes: ["a note"] };
    },
  };
  const runtimes = { outdated: async () => undefined };
  const services = { mcp, settings, mcpControl, runtimes, home: { dir }, stdin: async () => "code-1\n" };
  const config = {
    get: ({ key }: { readonly key: string }) => (key === "approvals.mcp_reload_confirm" ? true : undefined),
    raw: () => undefined,
  };
  const slash = (text: string, from: Partial<SlashCall> = {}) => {
    const call = { text, session: "s" as SessionId, waits: true, ...from }; // of no store: these commands look at none
    const chat = { get: async () => undefined, isBusy: async () => false };
    const { signal } = new AbortController();
    const around = { ...services, config, chat, signal, env: {}, cwd: dir, globals: {}, log: silentLog };
    return runSlash(call, around as unknown as SlashServices, COMMANDS); // what these commands use of it
  };
  return { dir, done, given, slash, run: (...argv: string[]) => runLine(argv, services) };
}

test("status shows state, tools, process and last error, and exits 1 when an enabled server is not ready", async (t) => {
  const fine = setup(t, [
    READY,
    { ...FAILED, state: "idle" },
    { ...FAILED, name: "off", state: "disabled", enabled: false },
  ]);
  assert.equal((await fine.run("mcp", "status")).code, 0);
  const { run } = setup(t, [READY, FAILED]);
  const { out, code } = await run("mcp", "status");
  assert.equal(code, 1);
  assert.match(out, /^files +stdio +ready +1 tool, 2 prompts {2}pid 42 {2}since 2026-01-31 09:05$/m);
  assert.match(out, /^web +http +failed +0 tools\n {2}connection refused \(2026-01-31 09:06\); agent mcp test web$/m);
  const json = JSON.parse((await run("mcp", "status", "files", "--json")).out);
  assert.deepEqual([json.servers[0].state, json.servers[0].since], ["ready", new Date(READY.since ?? 0).toISOString()]);
  assert.equal((await run("mcp", "status", "files")).code, 0);
  assert.equal((await run("mcp", "status", "nothing")).code, 1);
});

test("list shows what is configured and no secret of it", async (t) => {
  const { run } = setup(t, [READY, FAILED]);
  const { out, code } = await run("mcp", "ls");
  assert.equal(code, 0);
  assert.match(out, /^files +stdio +enabled +srv \/dir$/m);
  assert.match(out, /^web +http +enabled +https:\/\/…@mcp\.example\/x\?…$/m);
});

test("test and tools name the tools of a server; one that cannot be reached exits 1", async (t) => {
  const { run } = setup(t, [READY, FAILED]);
  assert.deepEqual(
    (await run("mcp", "test", "files")).out,
    "files: connected in 7 ms, 1 tool\n  mcp_files_read (reads only): Read a file.\n",
  );
  assert.equal((await run("mcp", "tools", "files")).out, "  mcp_files_read (reads only): Read a file.\n");
  const refused = await run("mcp", "test", "web");
  assert.deepEqual([refused.code, refused.out], [1, "web: not connected after 7 ms: refused\n"]);
});

test("enable, disable and remove change the entry and reach the owner at once; an unknown name exits 1", async (t) => {
  const { dir, done, run } = setup(t);
  const login = mcpLoginFile({ dir }, "files");
  mkdirSync(dirname(login));
  writeFileSync(login, "{}");
  for (const verb of ["disable", "enable", "remove"]) assert.equal((await run("mcp", verb, "files")).code, 0);
  assert.deepEqual(done, [
    "set mcp_servers.files.enabled false",
    "reload",
    "set mcp_servers.files.enabled true",
    "reload",
    "unset mcp_servers.files",
    "reload",
  ]);
  assert.ok(!existsSync(login), "the stored login is gone");
  for (const verb of ["disable", "enable", "remove", "reconnect", "login"])
    assert.equal((await run("mcp", verb, "nothing")).code, verb === "login" ? 0 : 1, verb);
});

test("login shows the address, and takes a pasted code on demand", async (t) => {
  const { done, run } = setup(t);
  const { err, out } = await run("mcp", "login", "files", "--manual-paste");
  assert.match(err, /Open this address and log in:\n {2}https:\/\/issuer\.example\/authorize\n/);
  assert.equal(out, "Logged in to files\n");
  await run("mcp", "login", "files", "--no-browser");
  assert.deepEqual(done, ["login files code-1", "login files -"]);
});

test("add takes the rest of the line as arguments of the program, also behind --", async (t) => {
  const { given, run } = setup(t);
  const one = await run("mcp", "add", "files", "--command", "npx", "-y", "--args", "-y", "pkg", "--root", "/dir");
  assert.equal(one.code, 1);
  assert.match(one.out, /files was not saved\na note\n$/);
  await run("mcp", "add", "files", "--env", "A=1", "--env", "B", "--", "npx", "-y", "pkg");
  assert.deepEqual(
    given.map(({ command, args, env, yes }) => [command, args, env, yes]),
    [
      ["npx", ["-y", "pkg", "--root", "/dir"], [], true],
      ["npx", ["-y", "pkg"], ["A=1", "B"], false],
    ],
  );
});

test("the catalogue lists pinned entries", async (t) => {
  const { out } = await setup(t).run("mcp", "catalog");
  assert.match(out, /^filesystem +2026\.8\.31 /m);
});

const CHAT: Partial<SlashCall> = {
  origin: { platform: "msgt", chat_id: "5", user_id: "u1" },
  member: { tier: "member", group: true, allows: ["mcp"] },
};

test("/mcp shows the servers, and its verbs work in a conversation", async (t) => {
  const { slash, done } = setup(t);
  assert.match((await slash("/mcp")).text, /^files +stdio +ready/);
  assert.match((await slash("/mcp status files")).text, /^files +stdio +ready/);
  assert.match((await slash("/mcp tools files")).text, /mcp_files_read/);
  assert.equal((await slash("/mcp disable files")).text, "files disabled");
  assert.deepEqual(done, ["set mcp_servers.files.enabled false", "reload"]);
});

test("/reload-mcp asks before tools of a running conversation change", async (t) => {
  const { slash, done } = setup(t);
  const asked = await slash("/reload-mcp");
  assert.match(asked.text, /\/reload-mcp now continues/);
  assert.deepEqual(done, []);
  assert.equal((await slash("/reload_mcp now")).text, "MCP servers: added a; changed b, c");
  await slash("/reload-mcp always");
  assert.deepEqual(done, ["reload", "set approvals.mcp_reload_confirm false", "reload"]);
});

test("in a chat members may look at the servers, and only admins change them", async (t) => {
  const { slash, done } = setup(t);
  assert.match((await slash("/mcp", CHAT)).text, /^files +stdio +ready/);
  for (const line of ["/mcp disable files", "/mcp reconnect files", "/reload-mcp now"])
    assert.match((await slash(line, CHAT)).text, /you may not use/, line);
  assert.deepEqual(done, []);
});
