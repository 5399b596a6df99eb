import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { withoutPrograms } from "../../../fixtures/agents/agents.js";
import { codexHome } from "../../../fixtures/agents/codex-home.js";
import { proves } from "../../../fixtures/requirements.js";

const run = promisify(execFile);

test("agent -z hands its turn to the app-server, resumes its thread, and the transcript is one question and one answer each", {
  skip: withoutPrograms(),
}, async (t) => {
  const codex = await codexHome(t, { script: { replies: [{ text: "hello from it" }, { text: "and again" }] } });
  const home = join(codex.home, "agent");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(
    join(home, "config.yaml"),
    [
      "model:",
      "  provider: vendor",
      "  default: fake-1",
      "  vendor_runtime: vendor_app_server",
      "providers:",
      "  vendor:",
      `    base_url: ${codex.server.url}`,
      "    api_key: sk-test",
      "app_server:",
      `  command: ${codex.program}`,
      "",
    ].join("\n"),
    { mode: 0o600 },
  );
  const agent = async (...args: string[]): Promise<string> =>
    (
      await run(process.execPath, ["dist/agent.cjs", ...args], { env: { ...codex.env, AGENT_HOME: home } }).catch(
        (error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? "" }),
      )
    ).stdout;
  const first = JSON.parse((await agent("-z", "one", "--json")).trim().split("\n").at(-1) ?? "") as Record<
    string,
    unknown
  >;
  assert.equal(first["final_response"], "hello from it", JSON.stringify(first));
  const session = String(first["session_id"]);
  const second = JSON.parse(
    (await agent("-z", "two", "--resume", session, "--json")).trim().split("\n").at(-1) ?? "",
  ) as Record<string, unknown>;
  assert.deepEqual([second["final_response"], second["thread_id"]], ["and again", first["thread_id"]]);
  const shown = await agent("sessions", "show", session, "--json");
  assert.equal(await agent("sessions", "show", session, "--json"), shown);
  const roles = [...shown.matchAll(/"role": ?"(user|assistant|tool)"/g)].map(([, role]) => role);
  assert.deepEqual(roles, ["user", "assistant", "user", "assistant"]);
});

/** Settings of the program without a provider: it has its own alone, which takes a login. */
const NO_PROVIDER = `check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
`;

test("a home with nothing but the key in .env hands its turns to the app-server, which pays with that key", {
  skip: withoutPrograms(),
}, async (t) => {
  proves(t, "runtime.opt-in");
  const codex = await codexHome(t, { script: { replies: [{ text: "paid" }, { text: "again" }] } });
  const settings = join(codex.codexHome, "config.toml");
  const withProvider = readFileSync(settings, "utf8");
  writeFileSync(settings, NO_PROVIDER);
  const home = join(codex.home, "agent");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, ".env"), "VENDOR_API_KEY=sk-of-the-home\n", { mode: 0o600 });
  const { OPENAI_API_KEY: _ofTheProgram, ...env } = codex.env;
  const own = { AGENT_HOME: home, AGENT_APP_SERVER_BIN: codex.program, VENDOR_BASE_URL: codex.server.url };
  const agent = async (...args: string[]) =>
    (await run(process.execPath, ["dist/agent.cjs", ...args], { env: { ...env, ...own } })).stdout;
  const turn = async (...args: string[]) =>
    JSON.parse((await agent(...args, "--json")).trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
  const keys = () =>
    codex.server.chats().map(({ path, headers }) => `${path} ${headers["authorization"]?.replace("Bearer ", "")}`);

  const on = await agent("vendor-runtime", "on");
  assert.doesNotMatch(on, /The provider is/);
  const first = await turn("-z", "one");
  assert.deepEqual([first["final_response"], first["provider"]], ["paid", "vendor"], JSON.stringify(first));
  assert.equal(typeof first["thread_id"], "string");
  assert.deepEqual(keys(), ["/v1/responses sk-of-the-home"]);
  const second = await turn("-z", "two", "--resume", String(first["session_id"]));
  assert.deepEqual([second["final_response"], second["thread_id"]], ["again", first["thread_id"]]);

  writeFileSync(settings, withProvider);
  const third = await turn("-z", "three");
  assert.equal(typeof third["thread_id"], "string", JSON.stringify(third));
  assert.deepEqual(
    [third["final_response"], keys().length],
    ["paid", 3],
    "the program's own provider gets the key as well",
  );
  assert.deepEqual([...new Set(keys())], ["/v1/responses sk-of-the-home"]);

  assert.match(await agent("status"), /model: gpt-5\.2 via vendor/);
  // Something else of the machine may be wrong, and its exit code then says so.
  const { stdout = "" } = await agent("doctor").then(
    (stdout) => ({ stdout }),
    (failed: { readonly stdout?: string }) => failed,
  );
  assert.match(stdout, /ok {4}model: vendor gpt-5\.2/);
});
