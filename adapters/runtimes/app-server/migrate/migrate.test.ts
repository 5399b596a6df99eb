import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "smol-toml";
import { handedOver } from "./handed-over.js";
import { type Migration, migrate, planMigration } from "./migrate.js";

const USER = `# my settings
model = "gpt-5"   # trailing words
notify = [
  "# >>> agent managed",
  "[not.a.header]",
]

# about this project
[projects."/home/me/[x]"]
trust_level = "trusted"
text = """
# >>> agent managed
[neither]
"""
`;

interface Given {
  readonly text?: string;
  readonly servers?: unknown;
  readonly env?: Record<string, string>;
  readonly plugins?: Migration["plugins"];
}

function place(t: TestContext, { text, servers = {}, env = {}, plugins = [] }: Given = {}) {
  const dir = mkdtempSync(join(tmpdir(), "migrate-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "config.toml");
  if (text !== undefined) writeFileSync(file, text);
  const migration: Migration = {
    file,
    servers: {
      written: servers,
      env,
      userHome: "/home/me",
      isSecretName: (name) => /TOKEN|KEY$|Authorization/.test(name),
    },
    callback: { command: "/usr/bin/node", args: ["/opt/agent.cjs", "mcp-callback"] },
    plugins,
  };
  return {
    file,
    migration,
    read: () => readFileSync(file, "utf8"),
    run: (more: Partial<Migration> = {}) => migrate({ ...migration, ...more }),
  };
}

/** A variable as settings write it. */
const of = (name: string): string => `\${${name}}`;

const without = (text: string): string =>
  text.replace(/(?<=^\uFEFF?)# >>> agent managed$[\s\S]*?^# <<< agent managed\n/m, "");
const block = (text: string): string => /^# >>> agent managed$[\s\S]*?^# <<< agent managed\n/m.exec(text)?.[0] ?? "";

test("the block stands before the first table, every other byte stays, and a second run changes nothing", (t) => {
  const { read, run } = place(t, { text: USER, servers: { notes: { command: "notes", args: ["--fast", 3] } } });
  const first = run();
  const once = read();
  assert.deepEqual([first.changed, first.servers, first.error], [true, ["notes"], undefined]);
  assert.equal(without(once), USER);
  assert.ok(once.indexOf("default_permissions") < once.indexOf("# about this project"));
  assert.equal(run().changed, false);
  assert.equal(read(), once);
  const settings = parse(once);
  assert.equal(settings["default_permissions"], ":workspace");
  assert.equal(settings["model"], "gpt-5");
  assert.deepEqual(JSON.parse(JSON.stringify(settings["mcp_servers"])), {
    "agent-tools": {
      command: "/usr/bin/node",
      args: ["/opt/agent.cjs", "mcp-callback"],
      env_vars: [
        "AGENT_HOME",
        "AGENT_CALLBACK_SOCKET",
        "AGENT_KANBAN_TASK",
        "AGENT_KANBAN_RUN_ID",
        "AGENT_KANBAN_CLAIM",
        "AGENT_KANBAN_BOARD",
        "AGENT_KANBAN_HOME",
      ],
      default_tools_approval_mode: "approve",
      startup_timeout_sec: 30,
      tool_timeout_sec: 600,
    },
    notes: { command: "notes", args: ["--fast", "3"], startup_timeout_sec: 60, tool_timeout_sec: 120 },
  });
});

test("a file that is missing, empty, without a last line end, with CRLF or with a byte order mark gets its block", (t) => {
  for (const text of [undefined, "", "model = 'x'", "model = 'x'\r\n\r\n[a]\r\nb = 1\r\n", "\uFEFF[a]\nb = 1\n"]) {
    const { read, run } = place(t, text === undefined ? {} : { text });
    assert.equal(run().error, undefined);
    const once = read();
    assert.equal(without(once).trimEnd(), (text ?? "").trimEnd());
    run();
    assert.equal(read(), once);
  }
});

test("every key of an entry is written, mapped or named in the report", (t) => {
  const { read, run } = place(t, {
    servers: {
      full: {
        command: "./bin/srv",
        cwd: "~/work",
        env: { MODE: 'a "b"\n\u007f' },
        timeout: 7,
        connect_timeout: 8,
        enabled: false,
        sampling: { enabled: false },
        roots: "none",
        tools: { exclude: ["rm"] },
        approve: "all",
      },
      web: {
        url: "https://a.example/mcp",
        headers: { "X-Mode": "fast" },
        command: "unused",
        tools: { include: ["get"] },
      },
    },
  });
  const report = run();
  const { full, web } = parse(read())["mcp_servers"] as Record<string, unknown>; // written above
  assert.deepEqual(JSON.parse(JSON.stringify({ full, web })), {
    full: {
      command: "/home/me/work/bin/srv",
      args: [],
      env: { MODE: 'a "b"\n\u007f' },
      cwd: "/home/me/work",
      enabled: false,
      disabled_tools: ["rm"],
      default_tools_approval_mode: "prompt",
      startup_timeout_sec: 8,
      tool_timeout_sec: 7,
    },
    web: {
      url: "https://a.example/mcp",
      http_headers: { "X-Mode": "fast" },
      enabled_tools: ["get"],
      startup_timeout_sec: 60,
      tool_timeout_sec: 120,
    },
  });
  assert.deepEqual(
    report.notes.map(({ name, kind, text }) => `${name} ${kind} ${text}`),
    [
      "full skipped the app-server has nothing like sampling, roots",
      "web note url and command are both given: url is used",
    ],
  );
});

test("names that the program refuses, entries that are wrong and servers of a cage are errors of their entry alone", (t) => {
  const { read, run } = place(t, {
    servers: {
      "a b": { command: "x" },
      "a.b": { command: "x" },
      'a"]\nx': { command: "x" },
      "agent-tools": { command: "x" },
      wrong: {},
      caged: { command: "x", cage: true },
      old: { url: "https://a.example", transport: "sse" },
      unset: { command: "x", args: [of("NOPE")] },
      good: { command: "x" },
    },
  });
  const report = run();
  assert.deepEqual(report.servers, ["good"]);
  assert.deepEqual(
    report.notes.map(({ name, kind }) => `${kind} ${JSON.stringify(name)}`),
    ["a b", "a.b", 'a"]\nx', "agent-tools", "wrong", "caged", "old", "unset"].map(
      (name) => `error ${JSON.stringify(name)}`,
    ),
  );
  assert.ok(!read().includes("caged"));
});

test("secrets of env and headers stay out of the file and are handed over; those of arguments keep the server out", (t) => {
  const env = { GITHUB_TOKEN: "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB", WEB_KEY: "top-secret-value" };
  const literal = "sk-ant-REDACTED";
  const servers = {
    github: { command: "gh-mcp", env: { GITHUB_TOKEN: of("GITHUB_TOKEN"), HOST: "h" } },
    web: {
      url: "https://a.example",
      headers: { Authorization: `Bearer ${of("WEB_KEY")}`, "X-A": literal, "X-B": "b" },
    },
    args: { command: "x", args: ["--token", of("WEB_KEY")] },
    other: { command: "x", env: { GITHUB_TOKEN: "another-value" } },
    vendor: { command: "x", env: { OPENAI_API_KEY: of("WEB_KEY") } },
  };
  const { file, read, run } = place(t, { servers, env, text: "a = 1\n" });
  chmodSync(file, 0o644);
  const report = run();
  for (const secret of [...Object.values(env), literal, "another-value"]) assert.ok(!read().includes(secret), secret);
  assert.deepEqual(report.servers, ["github", "web"]);
  assert.deepEqual(
    report.notes.filter(({ kind }) => kind === "error").map(({ name }) => name),
    ["args", "other", "vendor"],
  );
  assert.equal(statSync(file).mode & 0o777, 0o600, "values of env are for the user alone");
  const tables = parse(read())["mcp_servers"] as Record<string, Record<string, unknown>>; // written above
  assert.deepEqual(tables["github"]?.["env_vars"], ["GITHUB_TOKEN"]);
  const expanded = {
    github: { command: "x", env },
    web: { url: "https://a.example", headers: { Authorization: "Bearer b", "X-A": literal, "X-B": "b" } },
  };
  assert.deepEqual(handedOver(file, expanded), {
    GITHUB_TOKEN: env.GITHUB_TOKEN,
    AGENT_MCP_WEB_AUTHORIZATION: "Bearer b",
    AGENT_MCP_WEB_X_A: literal,
  });
  assert.deepEqual(handedOver(`${file}.not-there`, expanded), {});
});

test("answers that the program stored survive, also for tools with odd names, and go with their server", (t) => {
  const servers = { zed: { command: "zed" }, web: { url: "https://a.example" } };
  const { file, read, run } = place(t, { text: USER, servers });
  run();
  const added = `\n[mcp_servers.zed.tools.write]\napproval_mode = "approve"\nsince = 1979-05-27\n\n[mcp_servers.zed.tools."a b"]\napproval_mode = "prompt"\n`;
  writeFileSync(file, read().replace("# <<< agent managed", `required = true\n${added}# <<< agent managed`));
  assert.equal(run().changed, false, "nothing of ours differs");
  const changed = { ...servers, web: { url: "https://b.example" } };
  const report = run({ servers: { ...place(t, { servers: changed }).migration.servers } });
  assert.equal(report.changed, true);
  const now = parse(read())["mcp_servers"] as Record<string, Record<string, unknown>>; // written above
  assert.equal(now["web"]?.["required"], true);
  assert.deepEqual(JSON.parse(JSON.stringify(now["zed"]?.["tools"])), {
    write: { approval_mode: "approve", since: "1979-05-27" },
    "a b": { approval_mode: "prompt" },
  });
  const once = read();
  run({ servers: { ...place(t, { servers: changed }).migration.servers } });
  assert.equal(read(), once);
  run({ servers: { ...place(t, { servers: {} }).migration.servers } });
  assert.ok(!read().includes("zed"));
  assert.equal(without(read()), USER);
});

test("tables of the user are left alone, wherever they stand; root keys of the user decide about permissions", (t) => {
  const text = `sandbox_mode = "read-only"\n\n[mcp_servers.notes]\ncommand = "mine"\n\n[mcp_servers.zed.tools.x]\napproval_mode = "approve"\n\n[plugins."p@m"]\nenabled = false\n`;
  const servers = { notes: { command: "ours" }, zed: { command: "zed" } };
  const { read, run } = place(t, { text, servers, plugins: ["p@m", "q@m"] });
  const report = run();
  assert.deepEqual(report.servers, ["zed"]);
  assert.equal(report.notes[0]?.kind, "skipped");
  assert.equal(without(read()), text);
  assert.ok(!block(read()).includes("default_permissions"));
  assert.ok(!block(read()).includes("p@m"));
  assert.ok(block(read()).includes('[plugins."q@m"]\nenabled = true\n'));
});

test("plugins leave the block only when they could be listed", (t) => {
  const { read, run } = place(t, { plugins: ["a@m", "b@m"] });
  run();
  const report = run({ plugins: { problem: "no answer" } });
  assert.equal(report.changed, false);
  assert.match(report.notes[0]?.text ?? "", /no answer/);
  run({ plugins: ["b@m"] });
  assert.ok(!read().includes("a@m") && read().includes("b@m"));
});

test("what the program adds inside of the block is the user's: it is moved out of it, not lost", (t) => {
  const { file, read, run, migration } = place(t, { text: 'model = "a"\n', servers: { zed: { command: "zed" } } });
  run();
  const text = read()
    .replace(/^default_permissions.*\n/m, '$&model_provider = "p"\n')
    .replace(
      "# <<< agent managed",
      '\n[mcp_servers.mine]\ncommand = "mine" # words\n\n# trusted\n[projects."/ws"]\ntrust_level = "trusted"\n# <<< agent managed',
    );
  writeFileSync(file, text);
  assert.equal(run().changed, false);
  const servers = { ...migration.servers, written: { zed: { command: "zed2" } } };
  assert.equal(run({ servers }).error, undefined);
  const settings = parse(read());
  assert.deepEqual(JSON.parse(JSON.stringify(settings["projects"])), { "/ws": { trust_level: "trusted" } });
  assert.equal(settings["model_provider"], "p");
  assert.match(
    read(),
    /# <<< agent managed\n\n\[mcp_servers\.mine\]\ncommand = "mine" # words\n\n# trusted\n\[projects/,
  );
  assert.ok(!block(read()).includes("mine"));
  const once = read();
  assert.equal(run({ servers }).changed, false);
  assert.equal(read(), once);
});

test("a block whose first or last line the program dropped is found by its tables", (t) => {
  const all = /^# (?:>>>|Written by|wrote:).*\n/gm;
  for (const lost of [/^# >>> .*\n/gm, /^# <<< .*\n/gm, all]) {
    const text = `sandbox_mode = "read-only"\n\n[mcp_servers.mine]\ncommand = "mine"\n`;
    const { file, read, run } = place(t, { text, servers: { zed: { command: "zed" } }, plugins: ["a@m"] });
    run();
    const good = read();
    writeFileSync(file, good.replaceAll(lost, ""));
    const report = run();
    assert.deepEqual([report.error, report.changed], [undefined, true]);
    assert.equal(without(read()).trim().replaceAll(/\n+/g, "\n"), text.trim().replaceAll(/\n+/g, "\n"));
    assert.deepEqual(parse(read()), parse(good));
  }
});

test("a file that cannot be changed safely is left as it is, and the report says why", (t) => {
  const begin = "# >>> agent managed\n";
  const end = "# <<< agent managed\n";
  const cases: readonly (readonly [string, RegExp])[] = [
    ['a = "x\n', /invalid TOML in line 1/],
    [`${begin}${end}${begin}${end}`, /two managed blocks.*line 3/],
    [`${end}${begin}`, /ends \(line 1\) before it begins/],
    [`a = 1\n${end}`, /first line of the managed block is missing.*line 2/],
    ["mcp_servers = { a = { command = 'x' } }\n", /does not fit into the rest of the file/],
  ];
  for (const [text, why] of cases) {
    const { read, run } = place(t, { text, servers: { zed: { command: "z" } } });
    assert.match(run().error ?? "", why);
    assert.equal(read(), text);
  }
  const { file, run } = place(t, { text: "" });
  writeFileSync(file, Buffer.from([0x61, 0xff, 0xfe]));
  assert.match(run().error ?? "", /not UTF-8/);
  rmSync(file);
  mkdirSync(file);
  assert.match(run().error ?? "", /cannot be read/);
});

test("settings behind a link stay behind it; a plan writes nothing", (t) => {
  const { file, migration, read } = place(t, { text: USER });
  assert.equal(planMigration(migration).changed, true);
  assert.equal(read(), USER);
  const link = `${file}.link`;
  symlinkSync(file, link);
  migrate({ ...migration, file: link });
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal(without(read()), USER);
});
