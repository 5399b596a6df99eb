import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";

/** Steps of an install that is killed there, and whether the skill is in place after the next look. */
const POINTS = [
  ["swap.staging:1", "old"],
  ["swap.staged:1", "old"],
  ["swap.decided:1", "new"],
  ["swap.placed:1", "new"],
  ["swap.placed:2", "new"],
  ["swap.cleaning:1", "new"],
] as const;

interface Installed {
  readonly name: string;
  readonly version?: string;
}

interface Listed {
  readonly skills: readonly Installed[];
  readonly installed: readonly Installed[];
}

test("agent skills install that is killed at any step leaves the skill with its record, or neither, and can be repeated", async (t) => {
  const { run, home, work, json } = await world(t, { faults: true });
  const source = join(work, "notes");
  const write = (version: number) => {
    mkdirSync(join(source, "references"), { recursive: true });
    const text = `---\nname: notes\ndescription: Use for notes.\nversion: ${version}.0.0\n---\nVersion ${version}.\n`;
    writeFileSync(join(source, "SKILL.md"), text);
    writeFileSync(join(source, "references", "form.md"), `form ${version}\n`.repeat(5_000));
  };
  const install = ["skills", "install", "./notes", "--force", "-y"];
  const place = join(home.dir, "skills", "notes");
  const shown = async (): Promise<Installed | undefined> => {
    const { skills, installed } = await json<Listed>("skills", "list");
    const record = installed.find(({ name }) => name === "notes");
    const isThere = skills.some(({ name }) => name === "notes");
    assert.equal(isThere, record !== undefined, "the skill and its record are there together");
    return record;
  };
  const checked = async () => (await run(["skills", "audit"])).out;
  let version = 0;
  for (const [point, state] of POINTS) {
    const before = version;
    version += 1;
    write(version);
    const killed = await run(install, { env: { AGENT_FAULT: point } });
    assert.equal(killed.code, 128, `${point}: ${killed.err}`);
    const expected = state === "new" ? version : before;
    const skill = await shown();
    assert.equal(skill?.version, expected === 0 ? undefined : `${expected}.0.0`, point);
    assert.equal(existsSync(place), expected > 0, point);
    if (expected > 0) assert.doesNotMatch(await checked(), /changed|missing|damaged/, point);
    const again = await run(install);
    assert.equal(again.code, 0, `${point}: ${again.err}`);
    assert.equal((await shown())?.version, `${version}.0.0`, point);
    assert.equal(existsSync(join(home.dir, "skills", ".staging")), false, point);
  }
});
