import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type PluginWorld, pluginWorld } from "../../../fixtures/sim/plugin-world.js";
import type { PluginPreview, PluginUpdate } from "../../contracts/plugins/plugins.js";
import { readOrigin } from "./plugin-source.js";

const MANIFEST =
  "name: Weather\nversion: 1.2.0\ndescription: The weather.\nrequires_env: [CITY]\nprovides_tools: [weather]\nprovides_hooks: [post_tool_call]\n";

/** A bare repository with the plugin in `pack/weather`. */
function repository(world: PluginWorld) {
  const work = join(world.root, "source");
  const bare = join(world.root, "weather.git");
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: work, env, encoding: "utf8" }).trim();
  mkdirSync(join(work, "pack/weather"), { recursive: true });
  git("init", "-q", "-b", "main");
  const commit = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(work, "pack/weather", path), text);
    git("add", "-A");
    git("commit", "-qm", "x");
    if (existsSync(bare)) git("push", "-q", bare, "main");
    return git("rev-parse", "HEAD");
  };
  const first = commit({
    "plugin.yaml": MANIFEST,
    "index.js": `exports.register = (ctx) => ctx.registerCommand({ name: "weather", description: "", handler: () => "sun" });`,
  });
  git("tag", "v1");
  execFileSync("git", ["clone", "-q", "--bare", work, bare], { env });
  return { first, commit, url: `file://${bare}/pack/weather`, git };
}

const yes = (enable: boolean) => async () => ({ npm: false, enable });

test("install from git shows what the plugin brings, records where it is from, and leaves it off", async (t) => {
  const world = pluginWorld(t);
  const { url, first } = repository(world);
  let shown: PluginPreview | undefined;
  const row = await world.api.install(`${url}#v1`, {
    force: false,
    cwd: world.work,
    decide: async (preview) => {
      shown = preview;
      return { npm: false, enable: false };
    },
  });
  assert.deepEqual(
    [
      shown?.row.provides_tools,
      shown?.row.provides_hooks,
      shown?.row.requires_env.map(({ name, set }) => [name, set]),
      shown?.warnings,
      shown?.exists,
    ],
    [["weather"], ["post_tool_call"], [["CITY", false]], ["file:// is a repository on this machine"], false],
  );
  assert.deepEqual(
    [row?.key, row?.state, row?.ref, row?.commit, row?.source],
    ["weather", "disabled", "v1", first, "user"],
  );
  assert.equal(existsSync(join(world.home.dir, "plugins/weather/.git")), false);
  await assert.rejects(
    world.api.install(url, { force: false, cwd: world.work, decide: yes(false) }),
    /installed already/,
  );
  assert.equal(
    await world.api.install(url, { force: true, cwd: world.work, decide: async () => undefined }),
    undefined,
  );
});

test("update moves to the newest commit of the ref, shows the changed files, and asks for an enabled plugin", async (t) => {
  const world = pluginWorld(t);
  world.env["CITY"] = "x";
  const { url, first, commit } = repository(world);
  await world.loaded();
  await world.api.install(url, { force: false, cwd: world.work, decide: yes(true) });
  assert.deepEqual(
    world.host.commands.commands().map(({ name }) => name),
    ["weather"],
  );
  const second = commit({
    "index.js": `exports.register = (ctx) => ctx.registerCommand({ name: "rain", description: "", handler: () => "rain" });`,
    "new.js": "1",
  });
  let asked: PluginUpdate | undefined;
  const update = async (answer: boolean) =>
    await world.api.update("weather", async (one) => {
      asked = one;
      return answer;
    });
  await update(false);
  assert.deepEqual([asked?.from, asked?.to, asked?.asks], [first, second, true]);
  assert.deepEqual(asked?.files, [
    { status: "M", path: "index.js" },
    { status: "A", path: "new.js" },
  ]);
  assert.deepEqual(
    world.host.commands.commands().map(({ name }) => name),
    ["weather"],
  );
  await update(true);
  assert.deepEqual(
    world.host.commands.commands().map(({ name }) => name),
    ["rain"],
  );
  assert.equal((await world.row("weather"))?.commit, second);
  assert.deepEqual((await update(true)).files, []);
});

test("remove takes files, record and settings away; a directory is copied and cannot be updated", async (t) => {
  const world = pluginWorld(t);
  world.plugin("mine", "", { below: "elsewhere" });
  const row = await world.api.install("../elsewhere/mine", { force: false, cwd: world.work, decide: yes(true) });
  const seen: boolean[] = [];
  const again = async ({ enabled }: PluginPreview) => {
    seen.push(enabled);
    return { npm: false, enable: enabled };
  };
  await world.api.install("../elsewhere/mine", { force: true, cwd: world.work, decide: again });
  assert.deepEqual(seen, [true]);
  assert.deepEqual([row?.state, row?.url], ["enabled", null]);
  assert.match(readFileSync(join(world.home.dir, "plugins/mine/plugin.yaml"), "utf8"), /name: mine/);
  await assert.rejects(
    world.api.update("mine", async () => true),
    /was not installed from git/,
  );
  await world.api.remove("mine");
  assert.equal(existsSync(join(world.home.dir, "plugins/mine")), false);
  assert.deepEqual([world.values["plugins.enabled"], await world.row("mine")], [[], undefined]);
  await assert.rejects(world.api.remove("mine"), /unknown plugin 'mine'/);
});

test("what cannot be installed is refused and leaves nothing behind", async (t) => {
  const world = pluginWorld(t);
  const { url } = repository(world);
  const install = (source: string) => world.api.install(source, { force: false, cwd: world.work, decide: yes(false) });
  await assert.rejects(install(`${url}#nothing`), /cannot fetch .*nothing/);
  await assert.rejects(install(url.replace("/pack/weather", "/pack/none")), /no directory pack\/none/);
  await assert.rejects(install(url.replace("/pack/weather", "")), /it has no plugin\.yaml/);
  await assert.rejects(install("./absent"), /no such directory/);
  await assert.rejects(install("a\0b"), /holds a NUL character/);
  await assert.rejects(install("what is this"), /is not owner\/repo, a git address or a directory/);
  assert.deepEqual(await world.api.list(), []);
});

test("addresses: owner/repo with a directory and a ref, git addresses, and warnings for what is not encrypted", async () => {
  const read = (text: string) => readOrigin(text, "/nowhere", "/nowhere");
  const github = { kind: "git", url: "https://github.com/me/tools.git", warnings: [] };
  assert.deepEqual(await read("me/tools"), { ...github, ref: "", subdir: "" });
  assert.deepEqual(await read("me/tools/a/b#v2"), { ...github, ref: "v2", subdir: "a/b" });
  assert.deepEqual(await read("git@host.example:me/x.git#main"), {
    kind: "git",
    url: "git@host.example:me/x.git",
    ref: "main",
    subdir: "",
    warnings: [],
  });
  const open = await read("http://host.example/x.git/sub#r");
  assert.deepEqual(open.kind === "git" && [open.url, open.subdir, open.warnings.length], [
    "http://host.example/x.git",
    "sub",
    1,
  ]);
  await assert.rejects(read("me/tools/../x"), /is not a directory of the repository/);
  await assert.rejects(read("me/tools#--upload-pack=x"), /is not the name of a branch or tag/);
});
