import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { distFile } from "../../base/fs/dist.js";
import { setVariables } from "../../base/process/set-variables.js";
import { flagLines } from "../../safety/redact/injection.js";
import { readSkillText } from "../catalog/front-matter.js";
import { scanSkill } from "../guard/scan.js";
import { readinessOf } from "../texts/readiness.js";

const ROOT = "lib/skills/optional";
const RECORDS = `${ROOT}/research/public-records`;

/** Skills are the directories of the categories. */
const SKILLS = folders(ROOT).flatMap((category) =>
  folders(join(ROOT, category)).map((name) => join(ROOT, category, name)),
);

function folders(dir: string): readonly string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

function filesBelow(dir: string): readonly string[] {
  const entries = readdirSync(dir, { withFileTypes: true, recursive: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

const SECTIONS = [
  "Summary",
  "Access",
  "Schema",
  "Coverage",
  "Cross-reference keys",
  "Data quality",
  "Acquisition",
  "Legal",
  "References",
];

const fetchers = readdirSync(`${RECORDS}/scripts`).filter((name) => name.startsWith("fetch-"));
const sourceOf = (fetcher: string): string => basename(fetcher, ".mjs").slice("fetch-".length);

test("both optional skills describe themselves in the public form", () => {
  assert.deepEqual(SKILLS, [`${ROOT}/devops/tunnel`, RECORDS]);
  for (const dir of SKILLS) {
    const read = readSkillText(readFileSync(join(dir, "SKILL.md"), "utf8"), basename(dir));
    assert.ok(typeof read !== "string", String(read));
    const { facts, problems } = read;
    assert.deepEqual(problems, []);
    assert.equal(facts.name, basename(dir));
    assert.match(facts.description, /^Use (?:when )?to |^Use when /);
    assert.match(facts.version, /^\d+\.\d+\.\d+$/);
    const skill = { ...facts, command: "", category: "", dir, file: "", origin: "user" } as const;
    assert.deepEqual(readinessOf(skill, {}, setVariables).variables, [], "it can be used before anything is set up");
    assert.ok(facts.license !== "" && facts.platforms.length > 0 && facts.tags.length > 0);
  }
});

test("each of the eleven sources has a page of nine sections and stands in the tables of the skill", () => {
  assert.equal(fetchers.length, 11);
  const pages = readdirSync(`${RECORDS}/references/sources`);
  assert.deepEqual(
    pages.toSorted(),
    fetchers.map((name) => `${sourceOf(name)}.md`),
  );
  const skill = readFileSync(`${RECORDS}/SKILL.md`, "utf8");
  for (const name of fetchers) {
    const page = readFileSync(`${RECORDS}/references/sources/${sourceOf(name)}.md`, "utf8");
    assert.deepEqual(sectionsOf(page), SECTIONS, name);
    assert.ok(page.includes(`scripts/${name} `), `${name}: the page shows how to run it`);
    assert.ok(skill.includes(`| ${basename(name, ".mjs")} |`), `${name}: the skill lists it`);
  }
  assert.deepEqual(sectionsOf(readFileSync(`${RECORDS}/templates/source-template.md`, "utf8")), SECTIONS);
});

const sectionsOf = (page: string): readonly string[] =>
  [...page.matchAll(/^## (.+)$/gm)].map(([, title = ""]) => title);

test("nothing in them is suspicious to the scanner of skills, or marked as planted when it is read", () => {
  for (const dir of SKILLS) {
    const files = filesBelow(dir).map((path) => ({ path: path.slice(dir.length + 1), bytes: readFileSync(path) }));
    const { verdict, findings } = scanSkill(files);
    assert.equal(verdict, "safe", JSON.stringify(findings, null, 2));
    for (const { path, bytes } of files.filter(({ path: name }) => name.endsWith(".md")))
      assert.deepEqual(flagLines(bytes.toString("utf8")).flags, [], path);
  }
});

test("helpers need nothing but Node and the files of their skill", () => {
  for (const dir of SKILLS)
    for (const file of filesBelow(join(dir, "scripts"))) {
      assert.ok(file.endsWith(".mjs"), file);
      const text = readFileSync(file, "utf8");
      for (const [, from = ""] of text.matchAll(
        /^(?:import|export)\b[^;]*?\bfrom "([^"]+)";$|\bimport\("([^"]+)"\)(?!\))/gm,
      ))
        assert.ok(from.startsWith("node:") || normalize(join(dirname(file), from)).startsWith(dir), `${file}: ${from}`);
    }
});

test("the build ships every file of the optional skills as it is, and no others", () => {
  const shipped = distFile("skills/optional");
  const files = SKILLS.flatMap(filesBelow);
  assert.deepEqual(
    filesBelow(shipped)
      .map((file) => file.slice(shipped.length + 1))
      .toSorted(),
    files.map((file) => file.slice(ROOT.length + 1)).toSorted(),
  );
  for (const file of files)
    assert.ok(readFileSync(file).equals(readFileSync(join(shipped, file.slice(ROOT.length + 1)))), file);
});
