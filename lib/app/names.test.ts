import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PLATFORMS } from "../../adapters/platforms/index.gen.js";
import { proves } from "../../fixtures/requirements.js";
import { COMMANDS } from "../commands/index.gen.js";
import { DASHBOARD_ENDPOINTS } from "../dashboard/all-endpoints.js";
import { DESCRIPTORS } from "../logins/core/descriptors.js";
import { TOOLS } from "../tools/index.gen.js";
import { ALL_KEYS } from "./all-keys.gen.js";

const files = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name) && !/\.test\.tsx?$|node_modules/.test(name))
    .map((name) => join(folder, name));

const SOURCES = ["lib", "adapters", "tui", "storage", "bin"].flatMap((folder) => files(folder, /\.tsx?$/));
const PROSE = [...files("lib/help/topics", /\.md$/), "README.md", "CHANGELOG.md", "AGENTS.md", "SECURITY.md"];

const PLATFORM_BRANDS = /\b(telegram|discord|slack|feishu|lark|google chat|microsoft teams|wechat|weixin|whatsapp)\b/i;
const VENDOR_BRANDS = /openai|anthropic|claude|gemini|grok|mistral|deepseek|openrouter|codex/i;

/** What is fixed by others: addresses, packages, headers, and values that their systems know. */
const FOREIGN =
  /https?:\/\/\S+|[\w.-]+\.(com|net|cn|ai)\b|x-(telegram|lark|wechat)-[\w-]+|@?discord(js|\.js|app)\S*|@larksuiteoapi\S*|feishu, lark|empty: feishu|"feishu"/gi;

/** Texts that are shown: commands with their options, settings, tools, questions of the wizard, endpoints. */
async function shown(): Promise<readonly string[]> {
  const platforms = await Promise.all(PLATFORMS.map((entry) => entry.load()));
  return [
    ...COMMANDS.flatMap(({ path, summary, flags }) => [path, summary, ...flags.map((flag) => JSON.stringify(flag))]),
    ...ALL_KEYS.flatMap(({ key, help }) => [key, help]),
    ...TOOLS.map((tool) => JSON.stringify(tool)),
    ...platforms.map(({ tag, summary, setup = [] }) => JSON.stringify([tag, summary, setup])),
    ...DASHBOARD_ENDPOINTS.flatMap(({ path, summary }) => [path, summary]),
  ];
}

test("no text calls a messaging platform by its brand", async (t) => {
  proves(t, "platform.named-by-kind");
  const lines = [...(await shown()), ...PROSE.flatMap((path) => readFileSync(path, "utf8").split("\n"))];
  const named = lines.filter((line) => PLATFORM_BRANDS.test(line.replace(FOREIGN, "")));
  assert.deepEqual(named, []);
});

test("identifiers of platforms hold neutral tags: files, variables, settings and whatever the source calls something", (t) => {
  proves(t, "platform.neutral-tags");
  const named = SOURCES.flatMap((path) => {
    const text = readFileSync(path, "utf8")
      .replace(FOREIGN, "")
      .replaceAll(/WebSocketShard\w*/g, "");
    const words = text.match(/[A-Za-z_$][\w$]*/g) ?? [];
    const branded = words.filter(
      (word) =>
        /telegram|discord|feishu|wechat|weixin|whatsapp|^lark|Lark[A-Z]/i.test(word) && !/^(feishu|lark)$/.test(word),
    );
    return [...(PLATFORM_BRANDS.test(path) ? [path] : []), ...branded.map((word) => `${path}: ${word}`)];
  });
  assert.deepEqual(named, []);
  for (const { tag } of PLATFORMS) assert.match(tag, /^msg[a-z]$/);
});

test("settings, commands, tools and logins say vendor and router where others have a brand", (t) => {
  proves(t, "names.vendor", "names.router");
  const identifiers = [
    ...COMMANDS.flatMap(({ path, aliases = [], flags }) => [path, ...aliases, ...flags.map(({ name }) => name)]),
    ...ALL_KEYS.flatMap(({ key, env }) => [key, env ?? ""]),
    ...TOOLS.flatMap(({ name, toolset }) => [name, toolset]),
    ...DASHBOARD_ENDPOINTS.map(({ path }) => path),
  ];
  assert.deepEqual(
    identifiers.filter((name) => VENDOR_BRANDS.test(name)),
    [],
  );
  // The login that is named after its public protocol has no other name. What people read are the names that they know.
  const logins = DESCRIPTORS.filter(({ id }) => id !== "anthropic").flatMap(
    ({ id, keyVariables: [first = ""] = [] }) => [id, first],
  );
  assert.deepEqual(
    logins.filter((name) => VENDOR_BRANDS.test(name)),
    [],
  );
  const router = DESCRIPTORS.find(({ inferenceUrl }) => inferenceUrl?.includes("openrouter") === true);
  assert.deepEqual([router?.id, router?.name], ["router", "OpenRouter"]);
});

/** Variables of ssh and GnuPG, which have agents of their own. */
const OTHER_AGENTS: ReadonlySet<string> = new Set(["SSH_AGENT_PID", "GPG_AGENT_INFO"]);

test("a variable that has the name of the product begins with AGENT_", (t) => {
  proves(t, "env.prefix");
  const names = SOURCES.flatMap(
    (path) => readFileSync(path, "utf8").match(/["'`[.]([A-Z][A-Z0-9]*_)*AGENT(_[A-Z0-9]+)+\b/g) ?? [],
  );
  assert.ok(names.length > 100, String(names.length));
  assert.deepEqual(
    names.map((name) => name.slice(1)).filter((name) => !name.startsWith("AGENT_") && !OTHER_AGENTS.has(name)),
    [],
  );
});

test("there is one registry of commands: nothing else defines any, and every surface takes them from its index", (t) => {
  proves(t, "commands.one-registry");
  const defining = SOURCES.filter((path) => /defineCommand\(\{/.test(readFileSync(path, "utf8")));
  assert.deepEqual(
    defining.filter((path) => !path.startsWith("lib/commands/")),
    [],
  );
  const surfaces = [
    "bin/cli.ts",
    "lib/rpc/rpc-server.ts",
    "lib/app/gateway/gateway-host.ts",
    "lib/app/build-dashboard.ts",
  ];
  for (const path of surfaces) {
    const text = readFileSync(path, "utf8");
    assert.ok(
      /\{ COMMANDS \} (from|= await import\() ?"[./\w]*commands\/index\.gen\.js"/.test(text) &&
        text.split("COMMANDS").length > 2,
      path,
    );
  }
  for (const { path, surfaces: on } of COMMANDS) assert.ok(on.length > 0, path);
});
