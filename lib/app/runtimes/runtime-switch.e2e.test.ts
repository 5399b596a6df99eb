import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { APP_SERVER, withoutPrograms } from "../../../fixtures/agents/agents.js";
import { world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";

const run = promisify(execFile);

const MCP = `mcp_servers:
  notes: {command: "true", args: [notes]}
  hub: {url: "http://127.0.0.1:9/mcp", headers: {Authorization: "Bearer \${HUB_TOKEN}"}}
  "a b": {command: "true"}
`;

async function place(t: TestContext, config = "", faults = false) {
  const w = await world(t, { config, faults });
  const stub = join(w.work, "codex");
  const settings = join(w.home.dir, ".codex", "config.toml");
  return {
    ...w,
    settings,
    stub,
    program: (version: string) =>
      writeFileSync(stub, `#!/bin/sh\n[ "$1" = --version ] && echo "codex-cli ${version}"\n`, { mode: 0o755 }),
    config: () => readFileSync(w.home.config, "utf8"),
    toml: () => readFileSync(settings, "utf8"),
    agent: (args: readonly string[], bin: string) => w.run(args, { env: { AGENT_APP_SERVER_BIN: bin } }),
  };
}

test("/vendor-runtime takes every word for on and off, asks the program for its version, and writes only what changes", async (t) => {
  proves(t, "runtime.command.arguments", "runtime.command.version-check", "runtime.command.off");
  proves(t, "appserver.minimum-version", "slash.others", "names.app-server");
  const { agent, config, program, settings, stub } = await place(t);
  const before = config();

  const missing = await agent(["vendor-runtime", "on"], stub);
  assert.equal(missing.code, 1);
  assert.match(missing.err, /cannot be used: .*codex is not a program[\s\S]*npm install -g @openai\/codex/);
  program("0.124.9");
  const old = await agent(["-z", "/vendor-runtime enable"], stub);
  assert.match(old.err + old.out, /is version 0\.124\.9; 0\.125\.0 or newer is needed/);
  const usage = await agent(["vendor-runtime", "perhaps"], stub);
  assert.equal(usage.code, 2);
  assert.match(usage.err, /usage: \/vendor-runtime \[auto\|vendor_app_server\|on\|off\]/);
  assert.equal(config(), before, "a refusal changes no byte");
  assert.equal(existsSync(settings), false);

  program("0.125.0");
  const on = await agent(["-z", "/vendor-runtime on"], stub);
  assert.match(
    on.out,
    /vendor runtime: vendor_app_server\n.*version 0\.125\.0\nThe change takes effect with the next session/,
  );
  assert.match(on.out, /The provider is offline, so the agent works its turns itself/);
  const set = config();
  assert.match(set, /vendor_runtime: vendor_app_server/);
  assert.equal(statSync(settings).mode & 0o777, 0o600);

  program("1.0.0");
  const again = await agent(["vendor-runtime", "vendor_app_server"], stub);
  assert.match(again.out, /already set/);
  assert.equal(config(), set);
  assert.match((await agent(["vendor-runtime"], stub)).out, /^vendor runtime: vendor_app_server\n.*version 1\.0\.0/);
  assert.match(
    (await agent(["status"], stub)).out,
    /vendor runtime: app-server \(.*\), not used: the provider is offline/,
  );

  rmSync(stub);
  const broken = await agent(["doctor"], stub);
  assert.match(broken.out, /fail {2}app-server: .*is not a program\n.*agent vendor-runtime auto switches back/);
  const off = await agent(["-z", "/vendor-runtime auto"], stub);
  assert.match(off.out, /vendor runtime: auto\nThe change takes effect/);
  assert.doesNotMatch(config(), /vendor_runtime/);
  assert.match((await agent(["vendor-runtime", "disable"], stub)).out, /auto, already set/);
});

test("a process that is killed while it writes leaves the settings of the app-server as they were", async (t) => {
  const { run: agent, home, program, settings, stub, toml } = await place(t, "", true);
  program("0.169.0");
  mkdirSync(join(home.dir, ".codex"));
  const user = 'model = "mine"\n\n[projects."/w"]\ntrust_level = "trusted"\n';
  writeFileSync(settings, user);
  const env = { AGENT_APP_SERVER_BIN: stub };
  const killed = await agent(["vendor-runtime", "on"], { env: { ...env, AGENT_FAULT: "file.drafted/config.toml:1" } });
  assert.equal(killed.code, 128);
  assert.equal(toml(), user);
  assert.match((await agent(["vendor-runtime", "on"], { env })).out, /already set[\s\S]*config\.toml: updated/);
  assert.match(toml(), /\[mcp_servers\.agent-tools\]/);
});

test("a program that differs from what is handled is switched on, and what it requires is named", {
  skip: withoutPrograms(),
}, async (t) => {
  const { agent, config, stub } = await place(t);
  const real = `"${APP_SERVER}" "$@" || exit 1`;
  const newer = `sed -i 's#"currentTime/read"#"moon/read"#' "$DIR/ServerRequest.json"`;
  const script = `#!/bin/sh\nfor DIR; do :; done\n${real}\ncase "$*" in *generate-json-schema*) ${newer};; esac\n`;
  writeFileSync(stub, script, { mode: 0o755 });
  const on = await agent(["vendor-runtime", "on"], stub);
  assert.equal(on.code, 0, on.err);
  assert.match(on.err, /this version of the app-server asks moon\/read, which is answered as unsupported/);
  assert.match(on.err, /agent vendor-runtime auto switches back/);
  assert.match(config(), /vendor_runtime: vendor_app_server/);
});

test("a program that never writes its schemas is switched on without waiting for them", async (t) => {
  const { agent, config, stub } = await place(t);
  const script = '#!/bin/sh\n[ "$1" = --version ] && echo "codex-cli 0.169.0" && exit 0\nexec sleep 100000\n';
  writeFileSync(stub, script, { mode: 0o755 });
  const on = await agent(["vendor-runtime", "on"], stub);
  assert.equal(on.code, 0, on.err);
  assert.match(on.out, /protocol: not compared: .*did not write its schemas within 10 s/);
  assert.match(config(), /vendor_runtime: vendor_app_server/);
});

test("a command that changes MCP servers says that the app-server does not have the change yet, and doctor does until it has", async (t) => {
  const { agent, program, stub, toml } = await place(t, MCP);
  program("0.169.0");
  assert.doesNotMatch((await agent(["mcp", "disable", "notes"], stub)).err, /app-server/, "it is off");
  await agent(["vendor-runtime", "on"], stub);
  const before = toml();
  const removed = await agent(["mcp", "remove", "notes"], stub);
  assert.match(
    removed.err,
    /the app-server does not know of this change yet: agent vendor-runtime on updates .*config\.toml/,
  );
  const added = await agent(["mcp", "add", "extra", "--force", "--yes", "--", "/bin/false"], stub);
  assert.match(added.err, /agent vendor-runtime on updates/);
  assert.equal(toml(), before, "only the switch writes the file of the app-server");
  assert.match(
    (await agent(["doctor"], stub)).out,
    /warn {2}app-server settings: .*out of date\n.*agent vendor-runtime on/,
  );
  await agent(["vendor-runtime", "on"], stub);
  assert.match(toml(), /\[mcp_servers\.extra\]/);
  assert.doesNotMatch(toml(), /\[mcp_servers\.notes\]/);
  assert.match((await agent(["doctor"], stub)).out, /ok {4}app-server settings/);
});

test("doctor warns about profiles whose codex-acp answers its own requests, and about no other", async (t) => {
  const { run: agent, home } = await place(t);
  const profile = async (name: string, program: string, command: string) => {
    await agent(["profile", "create", name]);
    const dir = join(home.root, "profiles", name);
    writeFileSync(join(dir, "config.yaml"), `worker: {program: ${program}, command: ${command}}\n`);
  };
  await profile("alone", "acp", '["npx", "@agentclientprotocol/codex-acp@2.6.0"]');
  await profile("full", "acp", '["env", "INITIAL_AGENT_MODE=agent-full-access", "/opt/codex-acp"]');
  await profile("asks", "acp", '["env", "INITIAL_AGENT_MODE=workspace-write", "codex-acp"]');
  await profile("other", "acp", '["gemini", "--experimental-acp"]');
  await profile("native", "native", '["codex-acp"]');
  const { out } = await agent(["doctor"]);
  const warned = [...out.matchAll(/worker program: (\w+): codex-acp lets a model of its own answer/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual(new Set(warned), new Set(["alone", "full"]));
});

test("hooks that decide about commands are warned of", async (t) => {
  const { agent, program, stub } = await place(t, 'hooks: {pre_tool_call: [{command: "/bin/true"}]}\n');
  program("0.169.0");
  assert.match(
    (await agent(["vendor-runtime", "on"], stub)).err,
    /pre_tool_call hooks see only what the app-server asks for/,
  );
});

test("the program starts with migrated settings, which a second run leaves as they are and its own changes survive", {
  skip: withoutPrograms(),
}, async (t) => {
  const { agent, home, settings, toml, work, env } = await place(t, MCP);
  writeFileSync(home.env, "HUB_TOKEN=hub-token-of-a-person\n", { mode: 0o600 });
  mkdirSync(join(home.dir, ".codex"));
  const user = `# mine\nmodel = "script"\n\n[mcp_servers.own]\ncommand = "true"\n\n[projects."${work}"]\ntrust_level = "trusted"\n`;
  writeFileSync(settings, user);
  const codex = async (...args: string[]) => (await run(APP_SERVER, args, { env: { ...env }, cwd: work })).stdout;
  const outside = () => toml().replace(/^# >>> agent managed$[\s\S]*?^# <<< agent managed\n/m, "");

  const first = await agent(["vendor-runtime", "on"], APP_SERVER);
  assert.match(first.out, /config\.toml: updated \(the agent's own tools, notes, hub\)/);
  assert.match(first.out, /"a b": not migrated: the app-server accepts letters/);
  assert.doesNotMatch(first.out, /plugins were left/, "the program was asked for its plugins");
  const once = toml();
  assert.equal(outside(), user);
  assert.doesNotMatch(once, /hub-token/);
  await codex("app-server", "--print-startup-config", "--strict-config");
  assert.match(await codex("mcp", "list"), /agent-tools[\s\S]*notes[\s\S]*own[\s\S]*hub/);

  const second = await agent(["vendor-runtime", "on"], APP_SERVER);
  assert.match(second.out, /up to date/);
  assert.equal(toml(), once);
  const examined = (await agent(["doctor"], APP_SERVER)).out;
  assert.match(examined, /ok {4}app-server settings: .*config\.toml, 2 servers/);
  assert.match(examined, /ok {4}app-server protocol: everything that it requires is handled/);

  const answer = '\n[mcp_servers.notes.tools.write]\napproval_mode = "approve"\n';
  writeFileSync(settings, toml().replace("# <<< agent managed", `${answer}# <<< agent managed`));
  await codex("mcp", "add", "added", "--", "true"); // it writes every server of the file again
  await agent(["config", "set", "mcp_servers.notes.args", "[other]"], APP_SERVER);
  assert.match((await agent(["doctor"], APP_SERVER)).out, /warn {2}app-server settings: .*out of date/);
  await agent(["vendor-runtime", "on"], APP_SERVER);
  assert.match(toml(), /\[mcp_servers\.notes\.tools\.write\]\napproval_mode = "approve"/);
  assert.match(toml(), /args = \["other"\]/);
  assert.match(outside(), /\[mcp_servers\.added\]/, "what the program added is not ours");
  await codex("app-server", "--print-startup-config", "--strict-config");
  const last = toml();
  await agent(["vendor-runtime", "on"], APP_SERVER);
  assert.equal(toml(), last);
});
