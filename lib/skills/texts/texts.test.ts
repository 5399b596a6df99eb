import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { AppError } from "../../base/errors.js";
import { setVariables } from "../../base/process/set-variables.js";
import type { SkillTexts } from "../../contracts/skills/texts.js";
import { createCatalog } from "../catalog/catalog.js";
import { createTexts } from "./texts.js";

interface Place {
  readonly dir: string;
  readonly texts: SkillTexts;
  /** Write a file below `skills/`. */
  write(path: string, text: string): void;
}

function place(t: TestContext, settings: Readonly<Record<string, unknown>> = {}): Place {
  const dir = mkdtempSync(join(tmpdir(), "agent-skill-texts-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const config = {
    get: <T>(key: { readonly key: string; readonly default: T }): T => (settings[key.key] as T) ?? key.default,
  };
  const catalog = createCatalog({ home: { dir }, config, userHome: () => dir, bundled: undefined });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, "skills", path)), { recursive: true });
    writeFileSync(join(dir, "skills", path), text);
  };
  return { dir, texts: createTexts({ catalog, config, home: { dir }, variables: setVariables }), write };
}

const SKILL = `---
name: minutes
description: Use for minutes.
version: 1.2.0
required_environment_variables: [{name: MINUTES_KEY, prompt: Key of the service, help: see its site}]
prerequisites: {commands: [no-such-program]}
metadata: {agent: {tags: [a], related_skills: [b], config: [{key: minutes.place, description: where, default: here}]}}
---
Read \${AGENT_SKILL_DIR}/references/form.md for \${AGENT_SESSION_ID}.
Now: !\`date\`
`;

test("a variable that a skill can do without needs no setup", async (t) => {
  const { texts, write } = place(t);
  write("a/SKILL.md", "---\nname: a\nrequired_environment_variables: [{name: A_TOKEN, optional: true}]\n---\nx\n");
  const { readiness_status: status, setup_note: note } = await texts.view("a", undefined, { place: { env: {} } });
  assert.deepEqual([status, note], ["ready", undefined]);
});

test("skill_view answers text, files, settings and what is missing", async (t) => {
  const { dir, texts, write } = place(t, { "skills.config": { minutes: { place: "there" } } });
  write("notes/minutes/SKILL.md", SKILL);
  write("notes/minutes/references/form.md", "The form.\n");
  write("notes/minutes/scripts/.hidden", "x");
  const home = join(dir, "skills/notes/minutes");
  const view = await texts.view("minutes", undefined, { place: { env: {} }, session: "s_1" });
  assert.deepEqual(
    { ...view, content: view.content.split("\n"), setup_note: view.setup_note?.slice(0, 80) },
    {
      success: true,
      name: "minutes",
      description: "Use for minutes.",
      category: "notes",
      origin: "user",
      version: "1.2.0",
      tags: ["a"],
      related_skills: ["b"],
      content: [`Read ${home}/references/form.md for s_1.`, "Now: !`date`"],
      path: join(home, "SKILL.md"),
      skill_dir: home,
      linked_files: { references: ["references/form.md"] },
      usage_hint: 'read a supporting file with skill_view(name="minutes", file_path="references/form.md")',
      readiness_status: "setup_needed",
      setup_note: "Setup needed: environment variable MINUTES_KEY is not set (Key of the service; s",
      missing_environment_variables: ["MINUTES_KEY"],
      missing_commands: ["no-such-program"],
      config: { "minutes.place": "there" },
    },
  );
  const file = await texts.view("minutes", "references/form.md", { place: { env: {} } });
  assert.deepEqual([file.content, file.path], ["The form.\n", join(home, "references/form.md")]);
});

test("a path out of the skill is refused, whichever way it leads", async (t) => {
  const { dir, texts, write } = place(t);
  write("a/SKILL.md", "---\nname: a\n---\nx");
  write("a/references/here.md", "here");
  writeFileSync(join(dir, "secret.txt"), "secret");
  symlinkSync(join(dir, "secret.txt"), join(dir, "skills/a/references/link.md"));
  symlinkSync(dir, join(dir, "skills/a/assets"));
  const paths = ["../../secret.txt", "references/../../../secret.txt", join(dir, "secret.txt"), "~/x", "..\\x", "a\0b"];
  for (const path of [...paths, "references/link.md", "assets/secret.txt", "", "."])
    await assert.rejects(texts.view("a", path, { place: { env: {} } }), AppError, path);
  await assert.rejects(texts.view("a", "references/gone.md", { place: { env: {} } }), (error) => {
    return error instanceof AppError && error.hint === "files: references/here.md";
  });
});

test("/<skill> becomes one message: text, directory, settings, setup note, files, instruction", async (t) => {
  const { texts, write, dir } = place(t);
  write("minutes/SKILL.md", SKILL);
  write("minutes/references/form.md", "The form.\n");
  const { skill } = { skill: { ...(await texts.view("minutes", undefined, { place: { env: {} } })) } };
  assert.equal(skill.name, "minutes");
  const found = await createCatalog({
    home: { dir },
    config: { get: (key) => key.default },
    userHome: () => dir,
    bundled: undefined,
  }).find("minutes", { env: {} });
  const message = await texts.message(found, { place: { env: {} }, session: "s_1", instruction: " for today " });
  const at = [
    '[IMPORTANT: The user has invoked the "minutes" skill, ',
    `Read ${found.dir}/references/form.md for s_1.`,
    `[Skill directory: ${found.dir}]`,
    "[Skill settings]\nminutes.place = here",
    "[Skill setup note: Setup needed: environment variable MINUTES_KEY",
    "[Supporting files]\n- references/form.md",
    'skill_view(name="minutes", file_path="references/form.md")',
    "The user gave this instruction with the skill: for today",
  ].map((text) => message.indexOf(text));
  assert.deepEqual(
    at,
    at.toSorted((a, b) => a - b),
  );
  assert.equal(at.includes(-1), false, message);
  const prompt = await texts.promptText(["minutes", "minutes"], { env: {} });
  assert.equal(prompt.split("[Skill directory: ").length, 2);
  await assert.rejects(texts.promptText(["minute"], { env: {} }), (error) => {
    return error instanceof AppError && error.code === "E_NOT_FOUND" && error.hint?.includes("minutes") === true;
  });
});

test("a rule skill: that denies holds for /<skill> and --skills, whoever names it", async (t) => {
  const { texts, write, dir } = place(t);
  write("deploy-all/SKILL.md", "---\nname: deploy-all\n---\nx");
  writeFileSync(join(dir, "permissions.yaml"), "deny:\n  - skill:deploy-*\n");
  const rejects = (error: unknown) =>
    error instanceof AppError && error.code === "E_DENIED" && error.message.includes("skill:deploy-*");
  await assert.rejects(texts.promptText(["deploy-all"], { env: {}, cwd: dir }), rejects);
});

test("skills with very long files: one that is too large is reported, the others are cut and say where the rest is", async (t) => {
  const { dir, texts, write } = place(t);
  const front = (name: string) => `---\nname: ${name}\ndescription: Use for ${name}.\n---\n`;
  write("huge/SKILL.md", `${front("huge")}${"x".repeat(2 << 20)}`);
  write("long/SKILL.md", `${front("long")}${"y".repeat(900_000)}`);
  write("long/references/large.md", "z".repeat(2 << 20));
  write("long/references/line.md", "w".repeat(500_000));
  write("front/SKILL.md", `---\nname: front\ndescription: ${"d".repeat(300_000)}\n---\nx\n`);
  const catalog = createCatalog({
    home: { dir },
    config: { get: (key) => key.default },
    userHome: () => dir,
    bundled: undefined,
  });
  const { skills, problems } = await catalog.catalog({ env: {} });
  assert.deepEqual(
    skills.map(({ name }) => name),
    ["long"],
  );
  const named = problems.map(({ path, why }) => `${path} ${why}`).join("\n");
  assert.match(named, /huge\/SKILL\.md.*larger than 1 MiB/);
  assert.match(named, /front\/SKILL\.md/);
  const reading = { place: { env: {} } };
  const view = await texts.view("long", undefined, reading);
  assert.ok(view.content.length < 101_000, String(view.content.length));
  assert.match(view.content, /\[cut after 100000 characters: read the rest from .*long\/SKILL\.md\]$/);
  assert.ok((await texts.view("long", "references/line.md", reading)).content.length < 101_000);
  await assert.rejects(texts.view("long", "references/large.md", reading), /at most 1 MiB/);
});
