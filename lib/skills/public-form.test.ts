import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { HOSTILE_SKILLS } from "../../fixtures/corpora/hostile-skills/texts.js";
import { setVariables } from "../base/process/set-variables.js";
import { flagLines } from "../safety/redact/injection.js";
import { createCatalog } from "./catalog/catalog.js";
import { readSkillText } from "./catalog/front-matter.js";
import { indexDescription, renderIndex } from "./index/render.js";
import { createTexts } from "./texts/texts.js";

test("skills of the public form load unchanged, in categories, with their files and needs", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "agent-public-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  cpSync("fixtures/skills/public", join(dir, "skills"), { recursive: true });
  const config = { get: <T>(key: { readonly default: T }): T => key.default };
  const machine = () => ({ systems: ["linux"], inside: [] });
  const catalog = createCatalog({ home: { dir }, config, machine, userHome: () => dir, bundled: undefined });
  const { skills, problems, categories } = await catalog.catalog({ env: {} });
  assert.deepEqual(
    skills.map(({ name, category, description, userOnly }) => [name, category, description.slice(0, 40), userOnly]),
    [
      ["charts", "data", "Draws charts.", false],
      ["explain-plan", "data/sql", "Use when a query is slow: reads its plan", false],
      ["marked", "", "Use when a file begins with a mark.", false],
      ["minutes", "writing", "Writes minutes of a meeting. Use when so", false],
      ["no-front-matter", "", "", false],
      ["pdf-forms", "", "Fill in forms of PDF files. Use when the", false],
      ["release", "", "Release the project.", true],
      ["tone-guide", "writing", "House style for letters. Use for every t", false],
      ["unicode", "", "日本語の議事録を書くときに使う。 Für Protokolle 📝", false],
      ["weather", "", "Use for forecasts.", false],
      ["windows-notes", "", "Use on files with CRLF.", false],
    ],
  );
  assert.equal(categories.get("writing"), "Texts for people");
  assert.deepEqual(
    problems.map(({ why }) => why),
    ["it has no name: that of its directory is used"],
  );
  const texts = createTexts({ home: { dir }, catalog, config, variables: setVariables });
  const view = async (name: string) => await texts.view(name, undefined, { place: { env: {} } });
  assert.deepEqual((await view("pdf-forms")).linked_files, {
    references: ["references/fields.md"],
    assets: ["assets/logo.svg"],
    scripts: ["scripts/fill.py"],
  });
  assert.deepEqual((await view("charts")).config, { "charts.theme": "light" });
  assert.deepEqual((await view("weather")).missing_commands, ["no-such-program-here"]);
  assert.equal((await view("windows-notes")).content, "Keep CRLF.");
  assert.equal((await view("marked")).content, "Remove the mark.");
});

for (const [what, text] of HOSTILE_SKILLS)
  test(`a hostile skill does nothing by being read: ${what}`, () => {
    const read = readSkillText(text, "hostile");
    if (typeof read === "string") return;
    const { name, description } = read.facts;
    assert.match(name, /^[a-z0-9][a-z0-9._-]{0,63}$/);
    assert.ok(description.length <= 1_024);
    const shown = flagLines(indexDescription(description)).text;
    const index = renderIndex({
      entries: [{ name, description: shown, category: "" }],
      categories: new Map(),
      maxTokens: 4_000,
    }).text;
    assert.equal(index.split("</available_skills>").length, 2);
    assert.equal(index.split("\n").length, 6, "one line for one skill");
    assert.equal(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(index), false);
  });
