import assert from "node:assert/strict";
import { test } from "node:test";
import { skillUses } from "./uses.js";

test("variables that a skill reads are named, constants in templates of its programs are not", () => {
  const file = (path: string, text: string) => ({ path, bytes: Buffer.from(text) });
  const braced = (name: string) => ["$", "{", name, "}"].join("");
  const { variables } = skillUses([
    file("SKILL.md", "---\nname: a\ndescription: b\n---\nRun `curl $SITE_URL`.\n"),
    file("scripts/a.mjs", `log(\`${braced("SERVER")}\`, process.env.SITE_TOKEN, process.env['OTHER_KEY']);\n`),
    file("scripts/b.sh", `echo ${braced("SHELL_KEY")}\n`),
  ]);
  assert.deepEqual(variables, ["OTHER_KEY", "SHELL_KEY", "SITE_TOKEN", "SITE_URL"]);
});
