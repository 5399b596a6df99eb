import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { AppError } from "../../base/errors.js";
import type { SkillsApi } from "../../contracts/skills/skill.js";
import { createCatalog } from "./catalog.js";

interface Place {
  readonly dir: string;
  readonly catalog: SkillsApi;
  /** A catalog of another process. */
  open(): SkillsApi;
  /** Write a SKILL.md below `skills/`. */
  skill(path: string, text: string): void;
}

function place(t: TestContext, settings: Readonly<Record<string, unknown>> = {}): Place {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "agent-skills-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const config = {
    get: <T>(key: { readonly key: string; readonly default: T }): T => (settings[key.key] as T) ?? key.default,
  };
  const machine = () => ({ systems: ["linux"], inside: ["docker"] });
  const open = () => createCatalog({ home: { dir }, config, machine, userHome: () => dir, bundled: undefined });
  const catalog = open();
  const skill = (path: string, text: string) => {
    mkdirSync(join(dir, "skills", path), { recursive: true });
    writeFileSync(join(dir, "skills", path, "SKILL.md"), text);
  };
  return { dir, catalog, skill, open };
}

const names = async ({ catalog }: Place) => (await catalog.catalog({ env: {} })).skills.map(({ name }) => name);

test("skills of the public form are found in categories, with name, description and command", async (t) => {
  const made = place(t);
  made.skill(
    "notes/Meeting_Notes",
    "---\nname: meeting_notes\ndescription: >\n  Use for\n  minutes.\nallowed-tools: Read\n---\n# Hi\n",
  );
  made.skill("plain", "No front matter at all.\n");
  writeFileSync(join(made.dir, "skills", "notes", "DESCRIPTION.md"), "# Notes\n");
  const { skills, categories, problems } = await made.catalog.catalog({ env: {} });
  assert.deepEqual(
    skills.map(({ name, category, command, description }) => [name, category, command, description]),
    [
      ["meeting_notes", "notes", "meeting-notes", "Use for minutes."],
      ["plain", "", "plain", ""],
    ],
  );
  assert.equal(categories.get("notes"), "Notes");
  assert.match(problems[0]?.why ?? "", /no name/);
});

test("a skill that appears, changes or goes is seen with the next look", async (t) => {
  const made = place(t);
  assert.deepEqual(await names(made), []);
  made.skill("a", "---\nname: a\n---\nx");
  assert.deepEqual(await names(made), ["a"]);
  made.skill("a", "---\nname: longer\n---\nx");
  assert.deepEqual(await names(made), ["longer"]);
  rmSync(join(made.dir, "skills", "a"), { recursive: true });
  assert.deepEqual(await names(made), []);
});

test("one name in two categories is an error that lists both, and disabled skills are unknown", async (t) => {
  const made = place(t, { "skills.disabled": ["off"] });
  made.skill("x/same", "---\nname: same\n---\n");
  made.skill("y/same", "---\nname: same\n---\n");
  made.skill("off", "---\nname: off\n---\n");
  made.skill("offer", "---\nname: offer\n---\n");
  await assert.rejects(made.catalog.find("same", { env: {} }), (error) => {
    return (
      error instanceof AppError &&
      error.code === "E_AMBIGUOUS" &&
      error.message.includes(join("x", "same")) &&
      error.message.includes(join("y", "same"))
    );
  });
  await assert.rejects(made.catalog.find("off", { env: {} }), (error) => {
    return error instanceof AppError && error.code === "E_NOT_FOUND" && error.hint?.includes("offer") === true;
  });
});

test("front matter that is no YAML, has no end or a bomb in it names the file and hurts no other skill", async (t) => {
  const made = place(t);
  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
  for (const [n, name] of [..."bcdefghij"].entries())
    bomb.push(`${name}: &${name} [${`*${"abcdefghi"[n]},`.repeat(9)}]`);
  made.skill("bomb", `---\n${bomb.join("\n")}\n---\n`);
  made.skill("open", "---\nname: open\n");
  made.skill("broken", "---\nname: [\n---\n");
  made.skill("good", "---\nname: good\n---\n");
  const { skills, problems } = await made.catalog.catalog({ env: {} });
  assert.deepEqual(
    skills.map(({ name }) => name),
    ["good"],
  );
  assert.equal(problems.length, 3);
});

test("skills of a project are found in its repository, never take the name of another, and no link leads to them", async (t) => {
  const made = place(t);
  made.skill("deploy", "---\nname: deploy\n---\nmine");
  const project = join(made.dir, "work", "project");
  for (const [name, inside] of [
    ["deploy", ".agents/skills/deploy"],
    ["lint", ".agents/skills/tools/lint"],
    ["old", ".agent/skills/old"],
    ["elsewhere", "../elsewhere/elsewhere"],
  ] as const) {
    mkdirSync(join(project, inside), { recursive: true });
    writeFileSync(join(project, inside, "SKILL.md"), `---\nname: ${name}\n---\n`);
  }
  symlinkSync(join(made.dir, "work", "elsewhere"), join(project, ".agents/skills/linked"));
  mkdirSync(join(project, ".git"));
  mkdirSync(join(project, "src"));
  const { skills, problems } = await made.catalog.catalog({ env: {}, cwd: join(project, "src") });
  assert.deepEqual(
    skills.map(({ name, origin }) => [name, origin]),
    [
      ["deploy", "user"],
      ["lint", "project"],
      ["old", "project"],
    ],
  );
  assert.match(problems.map(({ why }) => why).join(), /its name is taken by/);
  assert.deepEqual(await names(made), ["deploy"]);
  rmSync(join(project, ".agents"), { recursive: true });
  symlinkSync(join(made.dir, "work", "elsewhere"), join(project, ".agents"));
  assert.deepEqual(
    (await made.catalog.catalog({ env: {}, cwd: project })).skills.map(({ name }) => name),
    ["deploy", "old"],
  );
});

test("linked skill directories of the user are followed, and a loop of links ends", async (t) => {
  const made = place(t);
  mkdirSync(join(made.dir, "shared", "linked"), { recursive: true });
  writeFileSync(join(made.dir, "shared", "linked", "SKILL.md"), "---\nname: linked\n---\n");
  mkdirSync(join(made.dir, "skills", "mine"), { recursive: true });
  symlinkSync(join(made.dir, "shared", "linked"), join(made.dir, "skills", "mine", "linked"));
  symlinkSync(join(made.dir, "skills"), join(made.dir, "skills", "loop"));
  symlinkSync(join(made.dir), join(made.dir, "skills", "above"));
  symlinkSync("/etc", join(made.dir, "skills", "system"));
  symlinkSync(join(made.dir, "nothing"), join(made.dir, "skills", "broken"));
  assert.deepEqual(await names(made), ["linked"]);
});

test("a pipe, a link, a directory or a huge file as SKILL.md is named and waited for by no one", async (t) => {
  const made = place(t);
  for (const name of ["pipe", "link", "directory", "huge", "good"])
    mkdirSync(join(made.dir, "skills", name), { recursive: true });
  execFileSync("mkfifo", [join(made.dir, "skills/pipe/SKILL.md")]);
  writeFileSync(join(made.dir, "secret.md"), "---\nname: secret\n---\n");
  symlinkSync(join(made.dir, "secret.md"), join(made.dir, "skills/link/SKILL.md"));
  mkdirSync(join(made.dir, "skills/directory/SKILL.md"));
  writeFileSync(join(made.dir, "skills/huge/SKILL.md"), "x".repeat((1 << 20) + 1));
  made.skill("good", "---\nname: good\n---\n");
  const { skills, problems } = await made.catalog.catalog({ env: {} });
  assert.deepEqual(
    skills.map(({ name }) => name),
    ["good"],
  );
  assert.equal(problems.length, 4);
});

test("skills of other systems, environments and tools are left out, and those switched off here", async (t) => {
  const made = place(t, { "skills.platform_disabled": { msgt: ["chatty"], cli: "wrong" } });
  made.skill("mac", "---\nname: mac\nplatforms: [macos]\n---\n");
  made.skill("lin", "---\nname: lin\nplatforms: linux, darwin\n---\n");
  made.skill("board", "---\nname: board\nenvironments: [kanban]\n---\n");
  made.skill("box", "---\nname: box\nenvironments: [docker, s6]\n---\n");
  made.skill("chatty", "---\nname: chatty\n---\n");
  made.skill("web", "---\nname: web\nmetadata: {agent: {requires_tools: [web_search]}}\n---\n");
  made.skill("curl", "---\nname: curl\nmetadata: {agent: {fallback_for_toolsets: [web]}}\n---\n");
  const at = async (where: object) =>
    (await made.catalog.catalog({ env: {}, ...where })).skills.map(({ name }) => name).join(" ");
  assert.equal(await at({}), "box chatty curl lin web");
  assert.equal(await at({ platform: "worker" }), "board box chatty curl lin web");
  assert.equal(await at({ platform: "msgt" }), "box curl lin web");
  assert.equal(await at({ tools: ["web_search"], toolsets: ["web"] }), "box chatty lin web");
  assert.equal(await at({ tools: [], toolsets: [] }), "box chatty curl lin");
});

test("another process reads no skill again that has not changed, and a damaged manifest is read again", async (t) => {
  const made = place(t);
  for (let n = 0; n < 106; n++) made.skill(`c${n % 5}/s${n}`, `---\nname: s${n}\ndescription: Use for ${n}.\n---\n`);
  assert.equal((await names(made)).length, 106);
  const file = join(made.dir, "cache", "skills.json");
  const manifest = readFileSync(file, "utf8");
  writeFileSync(file, manifest.replace("Use for 7.", "From the manifest."));
  const found = await made.open().find("s7", { env: {} });
  assert.equal(found.description, "From the manifest.");
  writeFileSync(file, manifest.slice(0, 1_000));
  assert.equal((await made.open().find("s7", { env: {} })).description, "Use for 7.");
  made.skill("c2/s7", "---\nname: s7\ndescription: Changed.\n---\n");
  assert.equal((await made.open().find("s7", { env: {} })).description, "Changed.");
});

test("a skill of a plugin is called by both names, and does not take the name of another", async (t) => {
  const made = place(t);
  made.skill("notes", "---\nname: notes\n---\n");
  mkdirSync(join(made.dir, "plugin"));
  writeFileSync(join(made.dir, "plugin", "SKILL.md"), "---\nname: notes\n---\n");
  const catalog = createCatalog({
    home: { dir: made.dir },
    config: { get: (key) => key.default },
    userHome: () => made.dir,
    bundled: undefined,
    ofPlugins: () => [
      { plugin: "demo", name: "notes", dir: join(made.dir, "plugin") },
      { plugin: "demo", name: "gone", dir: join(made.dir, "gone") },
    ],
  });
  const { skills, problems } = await catalog.catalog({ env: {} });
  assert.deepEqual(
    skills.map(({ name, command, origin }) => [name, command, origin]),
    [
      ["demo:notes", "demonotes", "plugin"],
      ["notes", "notes", "user"],
    ],
  );
  assert.match(problems[0]?.why ?? "", /skill gone of plugin demo has no SKILL\.md/);
});

test("/reload-skills names what was added, removed and changed since the last time", async (t) => {
  const made = place(t);
  made.skill("stays", "---\nname: stays\n---\n");
  made.skill("goes", "---\nname: goes\n---\n");
  made.skill("grows", "---\nname: grows\n---\n");
  await names(made);
  rmSync(join(made.dir, "skills", "goes"), { recursive: true });
  made.skill("grows", "---\nname: grows\n---\nmore");
  made.skill("comes", "---\nname: comes\n---\n");
  await names(made);
  const { added, removed, changed, count } = await made.catalog.reload({ env: {} });
  assert.deepEqual([added, removed, changed, count], [["comes"], ["goes"], ["grows"], 3]);
  const again = await made.catalog.reload({ env: {} });
  assert.deepEqual([again.added, again.removed, again.changed], [[], [], []]);
});
