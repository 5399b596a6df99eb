import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type ModelServerOptions, startModelServer } from "../../fixtures/servers/model/server.js";
import { ALL_KEYS } from "../app/all-keys.gen.js";
import { layOutHome } from "../base/home.js";
import { silentLog } from "../base/log/log.js";
import { systemClock } from "../base/time/clock.js";
import { loadConfig } from "../config/load-config.js";
import { createSettings } from "../config/settings-service.js";
import type { GatewaySetupOptions } from "../contracts/config/setup.js";
import { MODEL_API_KEY } from "../models/keys.js";
import { createNet } from "../safety/net/net.js";
import { createEndpoints } from "./endpoints.js";
import { runSetup } from "./run-setup.js";
import { keepHere } from "./store-change.js";

const NOTHING: GatewaySetupOptions = { nonInteractive: false, reset: false, reconfigure: false, quick: false };
const KEY = "sk-planted-0123456789";

interface WorldOptions {
  readonly answers?: readonly string[] | "nobody";
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: ModelServerOptions;
  /** The server of the test is found as one on this machine. */
  readonly local?: boolean;
}

/** A home on disk, a model server, and someone whose answers are known before. */
async function setupWorld(
  t: TestContext,
  { answers = [], config: text, env = {}, model, local = false }: WorldOptions = {},
) {
  const home = layOutHome(mkdtempSync(join(tmpdir(), "setup-")));
  if (text !== undefined) writeFileSync(home.config, text);
  const server = await startModelServer(model ?? { models: ["big-1", "small-1"] });
  const net = createNet({ clock: systemClock, allowPrivate: () => true });
  t.after(async () => {
    await net.close();
    await server.close();
    rmSync(home.dir, { recursive: true, force: true });
  });
  const config = await loadConfig({ home, env, clock: systemClock, keys: ALL_KEYS });
  const shown: string[] = [];
  const hidden: string[] = [];
  const left = answers === "nobody" ? [] : answers.map((answer) => answer.replace("URL", server.url));
  const gone = new AbortController();
  const person = {
    ask: async (question: string, unseen: boolean) => {
      (unseen ? hidden : shown).push(question);
      const answer = left.shift();
      if (answer === undefined) gone.abort();
      return answer ?? "";
    },
    say: async (line: string) => {
      shown.push(line);
    },
    signal: gone.signal,
  };
  const platforms: string[] = [];
  const run = (options: Partial<GatewaySetupOptions> = {}) =>
    runSetup(
      {
        config,
        path: home.config,
        now: () => 1_700_000_000_000,
        env: (name) => config.env[name],
        person: answers === "nobody" ? undefined : person,
        keep: keepHere(createSettings(home, config)),
        endpoints: createEndpoints({ net, clock: systemClock, log: silentLog }, gone.signal),
        local: async () => (local ? { baseUrl: server.url, models: ["big-1", "small-1"] } : undefined),
        listing: async () => ({
          wanted: [],
          disabled: [],
          notices: [],
          tools: [],
          toolsets: [
            { name: "file", kind: "set", tools: ["read_file"], on: true },
            { name: "web", kind: "set", tools: ["web_search"], on: true },
          ],
        }),
        gateway: async () => {
          platforms.push("asked");
          return ["MSGT_BOT_TOKEN is in .env"];
        },
        platforms: () => [],
      },
      { ...NOTHING, ...options },
    );
  const file = () => (existsSync(home.config) ? readFileSync(home.config, "utf8") : "");
  const variables = () => (existsSync(home.env) ? readFileSync(home.env, "utf8") : "");
  return { run, home, server, config, shown, hidden, left, platforms, file, variables };
}

test("a first run asks for provider, address, key and model, sees that they work, and stores them", async (t) => {
  const world = await setupWorld(t, { answers: ["", "custom", "URL", KEY, "small"] });
  const { outcome, lines } = await world.run();
  assert.equal(outcome, "ok");
  assert.deepEqual(lines, [
    "model: small-1 via custom",
    'Next: agent opens the workspace; agent -z "hello" asks a question.',
  ]);
  assert.equal(
    world.file(),
    `model:\n  base_url: ${world.server.url}\n  api_key: \${MODEL_API_KEY}\n  provider: custom\n  default: small-1\n`,
  );
  assert.equal(world.variables(), `MODEL_API_KEY=${KEY}\n`);
  assert.equal(statSync(world.home.env).mode & 0o777, 0o600);
  assert.equal(world.config.get(MODEL_API_KEY), KEY);
  assert.deepEqual(world.hidden, ["Key (MODEL_API_KEY, hidden) [none]: "]);
  assert.ok(!world.shown.join("\n").includes(KEY), "the key is never shown");
  const tried = world.server.requests.find(({ path }) => path.endsWith("/chat/completions"));
  assert.equal(tried?.headers["authorization"], `Bearer ${KEY}`);
  assert.equal(tried?.body?.model, "small-1");
});

test("a server on this machine is proposed with its address and its first model", async (t) => {
  const world = await setupWorld(t, { answers: ["quick", "", "", "", ""], local: true });
  assert.match((await world.run()).lines[0] ?? "", /^model: big-1 via custom$/);
  assert.match(world.shown.join("\n"), /Found a local server: http:\/\/127\.0\.0\.1/);
  assert.equal(world.file(), `model:\n  base_url: ${world.server.url}\n  provider: custom\n  default: big-1\n`);
  assert.equal(world.variables(), "");
});

test("a provider of the settings keeps its entry, and a new key takes the place of one that stood in the file", async (t) => {
  const world = await setupWorld(t, { answers: ["acme", KEY, "big-1"], config: "" });
  writeFileSync(
    world.home.config,
    `providers:\n  acme:\n    base_url: ${world.server.url} # mine\n    api_key: sk-old\n`,
  );
  await world.config.reload();
  await world.run({ section: "model" });
  assert.equal(
    world.file(),
    `providers:\n  acme:\n    base_url: ${world.server.url} # mine\n    key_env: ACME_API_KEY\nmodel:\n  provider: acme\n  default: big-1\n`,
  );
  assert.equal(world.variables(), `ACME_API_KEY=${KEY}\n`);
});

test("a key that is refused is reported with the reason, and nothing is stored before another one works or is wanted anyway", async (t) => {
  const refused = {
    replies: [],
    auxiliary: [{ status: 401, body: { error: { message: "bad key" } } }, { text: "OK" }],
  };
  const model = { models: ["big-1"], script: refused };
  const world = await setupWorld(t, { answers: ["custom", "URL", "sk-wrong", "", "n", "URL", KEY, ""], model });
  await world.run({ section: "model" });
  assert.match(world.shown.join("\n"), /Test failed: .*bad key/);
  assert.equal(world.variables(), `MODEL_API_KEY=${KEY}\n`);
});

test("an address that is none, or that holds a password, is asked for again", async (t) => {
  const world = await setupWorld(t, {
    answers: ["custom", "localhost", "http://me:pw@127.0.0.1/v1", "URL", "", "big-1"],
  });
  await world.run({ section: "model" });
  assert.ok(world.shown.some((line) => /Not an http or https URL/.test(line)));
  assert.ok(world.shown.some((line) => /Omit user name and password/.test(line)));
});

test("who leaves in the middle keeps what was answered, and learns how to go on", async (t) => {
  const world = await setupWorld(t, { answers: ["60"] });
  await assert.rejects(world.run({ section: "terminal" }), {
    code: "E_INTERRUPTED",
    message: /cancelled; answers stored so far are kept/,
  });
  assert.equal(world.file(), "terminal:\n  timeout: 60\n");
});

test("settings are asked for with what they mean and checked by their kind; an empty answer keeps", async (t) => {
  const world = await setupWorld(t, { answers: ["many", "40", "hard", "high", "", ""] });
  assert.deepEqual((await world.run({ section: "agent" })).lines, [
    "agent.max_turns = 40",
    "agent.reasoning_effort = high",
  ]);
  assert.ok(world.shown.some((line) => /The value must be a whole number from 1 to 10000/.test(line)));
  assert.ok(world.shown.some((line) => /The value must be one of .*high/.test(line)));
});

test("toolsets are switched off by name", async (t) => {
  const world = await setupWorld(t, { answers: ["webb", "web"] });
  assert.deepEqual((await world.run({ section: "tools" })).lines, ["tools: without web"]);
  assert.equal(world.file(), "agent:\n  disabled_toolsets:\n    - web\n");
});

test("the part tts asks who speaks and who transcribes, and for a key that is not there yet", async (t) => {
  const world = await setupWorld(t, { answers: ["elevenlabs", KEY, "groq"], env: { GROQ_API_KEY: "gsk-1" } });
  assert.deepEqual((await world.run({ section: "tts" })).lines, [
    "tts.provider = elevenlabs, with the key in ELEVENLABS_API_KEY",
    "stt.provider = groq",
  ]);
  assert.equal(world.file(), "tts:\n  provider: elevenlabs\nstt:\n  provider: groq\n");
  assert.equal(world.variables(), `ELEVENLABS_API_KEY=${KEY}\n`);
  assert.deepEqual(world.hidden, ["Key (ELEVENLABS_API_KEY, hidden) [none]: "]);
  assert.ok(world.shown.some((line) => /groq +key in GROQ_API_KEY; billed/.test(line)));
  assert.ok(world.shown.some((line) => /edge +a program of this machine/.test(line)));
  const kept = await setupWorld(t, { answers: ["", "unchanged"] });
  assert.deepEqual((await kept.run({ section: "tts" })).lines, ["nothing changed"]);
});

test("the part gateway asks what the wizard of platforms asks", async (t) => {
  const world = await setupWorld(t);
  assert.deepEqual((await world.run({ section: "gateway" })).lines, ["MSGT_BOT_TOKEN is in .env"]);
});

test("a home that is set up is shown its parts and goes on until it is done; --quick finds nothing missing", async (t) => {
  const config = "model:\n  provider: offline\n";
  const world = await setupWorld(t, { answers: ["terminal", "90", "", "", "done"], config });
  assert.deepEqual((await world.run()).lines, ["terminal.timeout = 90"]);
  assert.ok(world.shown.some((line) => /1 {2}model +.*via offline/.test(line)));
  assert.deepEqual((await world.run({ quick: true })).lines, [
    "nothing is missing; agent setup --reconfigure goes through all settings",
  ]);
});

test("a full run goes through every part and leaves the messaging platform out when it is not wanted", async (t) => {
  const world = await setupWorld(t, { answers: ["full", "offline", "n", "", "", "", "n", "", "", "", "", ""] });
  const { lines } = await world.run();
  assert.equal(lines[0], "model: offline, the built-in rule-based assistant");
  assert.deepEqual(world.platforms, []);
  assert.deepEqual(world.left, []);
});

test("--reset keeps a copy of the settings and all variables, and asks before", async (t) => {
  const config = "terminal:\n  timeout: 7\nmodel:\n  provider: offline # mine\n";
  const world = await setupWorld(t, { answers: ["y", "", "", ""], config });
  await world.run({ section: "terminal", reset: true });
  assert.equal(world.file(), "model:\n  provider: offline # mine\n");
  const copy = readdirSync(world.home.dir).find((name) => name.endsWith(".bak")) ?? "";
  assert.equal(readFileSync(join(world.home.dir, copy), "utf8"), config);
});

test("without a terminal it says by which commands and variables the same is done", async (t) => {
  const world = await setupWorld(t, { answers: "nobody" });
  const { outcome, lines } = await world.run();
  assert.equal(outcome, "guidance");
  for (const part of [
    "model.base_url",
    "ANTHROPIC_API_KEY",
    "tts.provider",
    "terminal.timeout",
    "MSGT_BOT_TOKEN",
    "agent tools list",
    "agent.max_turns",
  ])
    assert.ok(
      lines.some((line) => line.includes(part)),
      part,
    );
  assert.ok(!(await world.run({ section: "tools" })).lines.some((line) => line.includes("MSGT_BOT_TOKEN")));
});

test("--non-interactive takes a key of the environment without storing it", async (t) => {
  const world = await setupWorld(t, { answers: "nobody", env: { ACME_KEY: KEY, OPENROUTER_API_KEY: KEY } });
  writeFileSync(world.home.config, `providers:\n  router:\n    base_url: ${world.server.url}\n`);
  await world.config.reload();
  const { outcome, lines } = await world.run({ nonInteractive: true, section: "model" });
  assert.equal(outcome, "ok");
  assert.match(lines[0] ?? "", /^model: big-1 via router, with the key in OPENROUTER_API_KEY/);
  assert.match(world.file(), /key_env: OPENROUTER_API_KEY\n/);
  assert.ok(!world.file().includes(KEY));
  assert.equal(world.variables(), "");
});

test("--non-interactive with a key that its provider refuses stores nothing, and fails with the reason", async (t) => {
  const world = await setupWorld(t, { answers: "nobody", env: { OPENROUTER_API_KEY: KEY } });
  const file = "providers:\n  router:\n    base_url: http://127.0.0.1:9\n";
  writeFileSync(world.home.config, file);
  await world.config.reload();
  const { outcome, lines } = await world.run({ nonInteractive: true, section: "model" });
  assert.equal(outcome, "failed");
  assert.match(lines[0] ?? "", /^model: OPENROUTER_API_KEY is set, but router lists no model: .*Nothing stored\.$/);
  assert.equal(world.file(), file);
});

test("--non-interactive without anything to take changes nothing, and says what answers", async (t) => {
  const world = await setupWorld(t, { answers: "nobody" });
  const { outcome, lines } = await world.run({ nonInteractive: true });
  assert.equal(outcome, "ok");
  assert.match(lines[0] ?? "", /offline assistant answers/);
  assert.match(lines[1] ?? "", /^gateway: no platform variables are set$/);
  assert.equal(world.file(), "");
});
