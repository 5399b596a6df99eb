import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { slashWorld } from "../../../fixtures/sim/slash-world.js";
import { readInvocation } from "../../contracts/skills/invoked.js";

test("a session that began with a skill or a bundle is titled and listed by what was typed, not by the skill's text", async (t) => {
  const { run, chat, dir, sent } = slashWorld(t);
  mkdirSync(join(dir, "skills", "sheep"), { recursive: true });
  writeFileSync(join(dir, "skills", "sheep", "SKILL.md"), "---\nname: sheep\ndescription: x\n---\nCount.\n");
  mkdirSync(join(dir, "skill-bundles"));
  writeFileSync(join(dir, "skill-bundles", "farm.yaml"), "name: Farm\nskills: [sheep]\ninstruction: Be quick.\n");
  await run("-z", "/sheep on the left\nand right");
  assert.equal(readInvocation(sent()[0] ?? ""), "sheep: on the left\nand right");
  await run("-z", "/farm");
  await run("-z", "/farm now");
  const rows = await chat.list({});
  assert.deepEqual(rows.map(({ title }) => title).toSorted(), ["Farm", "Farm: now", "sheep: on the left and right"]);
  assert.equal(readInvocation("[IMPORTANT: hello"), undefined);
  assert.equal(readInvocation("count the sheep"), undefined);
});
