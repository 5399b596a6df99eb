import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { commandRows } from "../../../fixtures/corpora/commands.js";
import { layOutHome } from "../../base/home.js";
import { type ExecScope, inspect } from "./exec.js";

const root = realpathSync(mkdtempSync(join(process.cwd(), "dist", "writes-")));
after(() => rmSync(root, { recursive: true, force: true }));
const userHome = join(root, "user");
const project = join(userHome, "project");
const outside = join(root, "outside");
for (const dir of [join(project, "src"), join(project, ".git/hooks"), join(outside, "deep"), join(root, "temporary")])
  mkdirSync(dir, { recursive: true });
symlinkSync(outside, join(project, "link"));
symlinkSync(join(outside, "deep"), join(project, "deep"));
for (const file of ["a.txt", "b.txt", ".bashrc"]) writeFileSync(join(project, file), "x");
writeFileSync(join(userHome, ".bashrc"), "x");

const scope: ExecScope = {
  home: layOutHome(join(userHome, ".agent")),
  userHome,
  project,
  env: {},
  cwd: project,
  temporary: [join(root, "temporary")],
};

/** What is said of a line: `blocked`, `system`, `outside`, `unsure` (may write outside) or `inside`. */
function writesWhere(line: string): string {
  const { blocked, risks } = inspect(line.replaceAll("OUT", outside).replaceAll("TMP", join(root, "temporary")), scope);
  if (blocked !== undefined) return "blocked";
  if (risks.some((risk) => risk.class === "system-write")) return "system";
  const found = risks.filter((risk) => risk.class === "outside-write");
  return found.length === 0 ? "inside" : found.every((risk) => risk.unsure) ? "unsure" : "outside";
}

for (const { command, expected } of commandRows("writes")) {
  test(`${JSON.stringify(command)} writes: ${expected}`, () => {
    assert.equal(
      writesWhere(command),
      expected,
      JSON.stringify(inspect(command.replaceAll("OUT", outside), scope).risks),
    );
  });
}
