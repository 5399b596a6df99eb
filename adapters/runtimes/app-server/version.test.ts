import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { systemSpawner } from "../../../lib/base/process/spawn-system.js";
import { systemClock } from "../../../lib/base/time/clock.js";

import { examineProgram } from "./version.js";

function program(t: TestContext, script: string): string {
  const dir = mkdtempSync(join(tmpdir(), "version-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "codex");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

const parts = {
  spawner: systemSpawner,
  clock: systemClock,
  env: { PATH: process.env["PATH"], SECRET_KEY: "not for it" },
  redact: (text: string) => text.replaceAll("sk-abc", "[secret]"),
};
const look = (command: string, more: Partial<typeof parts> = {}) =>
  examineProgram(command, { ...parts, ...more }, new AbortController().signal);

test("a version of 0.125.0 or newer is accepted, by numbers, wherever it stands in the answer", async (t) => {
  proves(t, "appserver.minimum-version");
  const verdicts: [string, boolean][] = [];
  for (const version of ["0.124.9", "0.125.0", "0.169.0", "1.0.0", "0.99.0", "0.1250.0", "10.0.0-beta.1"]) {
    const path = program(t, `[ "$1" = --version ] && echo "codex-cli ${version}"`);
    const { problem, version: found } = await look(path);
    assert.equal(found, version.replace("-beta.1", ""));
    verdicts.push([version, problem === undefined]);
  }
  assert.deepEqual(
    verdicts.filter(([, fits]) => !fits).map(([version]) => version),
    ["0.124.9", "0.99.0"],
  );
});

test("a program that is missing, prints no version, fails or is none says so in one line without secrets", async (t) => {
  proves(t, "runtime.command.version-check");
  const problems = [
    await look("/nowhere/codex"),
    await look("no-such-program-at-all"),
    await look("relative/codex"),
    await look(program(t, "printf 'hello\\nsk-abc'")),
    await look(program(t, "echo codex-cli 0.169.0; echo broken >&2; exit 3")),
    await look(program(t, "exit 0")),
    await look(program(t, "env | grep -q SECRET_KEY && echo 1.2.3")),
  ].map(({ problem = "", path = "" }) => problem.replaceAll(path === "" ? "-" : path, "P"));
  assert.deepEqual(problems, [
    "/nowhere/codex is not a program",
    "no program no-such-program-at-all on PATH".replaceAll("-", "P"),
    "relative/codex is not a program",
    "P --version names no version: 'hello [secret]'",
    "P --version failed (exit 3): 'broken'",
    "P --version names no version: it printed nothing",
    "P --version failed (exit 1): it printed nothing",
  ]);
});

test("a program that hangs is ended after ten seconds, with what it started", async (t) => {
  const clock = manualClock();
  const path = program(t, "sleep 1000 & wait");
  const asked = look(path, { clock });
  await clock.waitsFor(10_000);
  clock.advance(10_000);
  assert.equal((await asked).problem, `${path} --version did not answer within 10 s`);
});
