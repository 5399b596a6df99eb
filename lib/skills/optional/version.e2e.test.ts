import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { skillBench } from "../../../fixtures/e2e/skill-helper.js";
import { proves } from "../../../fixtures/requirements.js";
import { readSkillText } from "../catalog/front-matter.js";

const ROOT = "lib/skills/optional";
/** What each skill promised in a version: written by this test with `PROMISED=write`. */
const RECORD = `${ROOT}/promised.json`;

interface Interface {
  readonly options: readonly string[];
  readonly columns: readonly string[];
}

interface Promised {
  readonly version: string;
  /** Helper -> its options, and the columns of its output in their order. */
  readonly helpers: Readonly<Record<string, Interface>>;
}

async function promisedBy(t: TestContext, skill: string): Promise<Promised> {
  const { run } = await skillBench(t, skill);
  const read = readSkillText(readFileSync(join(ROOT, skill, "SKILL.md"), "utf8"), basename(skill));
  assert.ok(typeof read !== "string");
  const names = readdirSync(join(ROOT, skill, "scripts")).filter((name) => name.endsWith(".mjs"));
  const helpers: Record<string, Interface> = {};
  for (const name of names.toSorted()) {
    const { out } = await run(name, ["--help"]);
    const options = [...out.matchAll(/^ {2}(--[\w-]+(?: \S+)?) {2}/gm)].map(([, option = ""]) => option);
    const columns = /^Columns: (.+)$/m.exec(out)?.[1]?.split(", ") ?? [];
    helpers[basename(name, ".mjs")] = { options, columns };
  }
  return { version: read.facts.version, helpers };
}

test("a helper that loses an option or changes its columns needs a new major version of its skill", async (t) => {
  proves(t, "skills.version");
  const present: Record<string, Promised> = {};
  for (const skill of ["devops/tunnel", "research/public-records"]) present[skill] = await promisedBy(t, skill);
  if (process.env["PROMISED"] === "write") writeFileSync(RECORD, `${JSON.stringify(present, null, 2)}\n`);
  const recorded: Record<string, Promised> = JSON.parse(readFileSync(RECORD, "utf8"));
  for (const [skill, promised] of Object.entries(recorded)) {
    const now = present[skill];
    assert.ok(now, `${skill} is gone`);
    if (majorOf(now) > majorOf(promised)) continue;
    for (const [helper, { options, columns }] of Object.entries(promised.helpers)) {
      const kept: Interface | undefined = now.helpers[helper];
      const lost: readonly string[] = options.filter((option) => !kept?.options.includes(option));
      assert.deepEqual(lost, [], `${helper} of ${skill} ${now.version} lost options: raise the major number`);
      assert.deepEqual(
        kept?.columns.slice(0, columns.length),
        columns,
        `${helper} of ${skill} ${now.version} changed its columns`,
      );
    }
  }
  assert.deepEqual(
    present,
    recorded,
    "new options or columns: record them with PROMISED=write, and raise the minor number",
  );
});

const majorOf = ({ version }: Promised): number => Number(version.split(".")[0]);

test("the page of a source explains every column of its fetcher", async (t) => {
  const { helpers } = await promisedBy(t, "research/public-records");
  const fetchers = Object.entries(helpers).filter(([name]) => name.startsWith("fetch-"));
  for (const [name, { columns }] of fetchers) {
    const page = readFileSync(
      `${ROOT}/research/public-records/references/sources/${name.slice("fetch-".length)}.md`,
      "utf8",
    );
    const schema = /^## Schema$([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
    const missing = columns.filter((column) => !new RegExp(`\\b${column}\\b`).test(schema));
    assert.deepEqual(missing, [], name);
  }
});
