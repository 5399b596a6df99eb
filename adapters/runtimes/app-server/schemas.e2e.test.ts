import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { APP_SERVER, withoutPrograms } from "../../../fixtures/agents/agents.js";
import { systemSpawner } from "../../../lib/base/process/spawn-system.js";
import { systemClock } from "../../../lib/base/time/clock.js";
import type { SchemaComparison } from "../../../lib/contracts/runtimes/switch.js";
import { compareSchemas } from "./schemas.js";

const parts = {
  spawner: systemSpawner,
  clock: systemClock,
  env: process.env,
  redact: (text: string) => text.replaceAll("s3cret", "[secret]"),
};
const never = new AbortController().signal;

const compare = (program: string): Promise<SchemaComparison> => compareSchemas(program, parts, never);

/** A program that is a shell script; `DIR` is where it should write. */
function script(t: TestContext, lines: string): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "schemas-test-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "codex");
  writeFileSync(path, `#!/bin/sh\nfor DIR; do :; done\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

test("the app-server that this product is written for asks nothing unknown", { skip: withoutPrograms() }, async (t) => {
  const log = script(t, "");
  const program = script(t, `echo "$DIR" >> "${log}.dir"; exec "${APP_SERVER}" "$@"`);
  assert.deepEqual(await compare(program), { unknown: [] });
  const dir = dirname(readFileSync(`${log}.dir`, "utf8").trim());
  assert.match(dir, /app-server-schemas/);
  assert.equal(existsSync(dir), false, "the temporary directory is removed");
});

test("unknown required things of a newer app-server are named", { skip: withoutPrograms() }, async (t) => {
  // The real schemas, changed as a newer version might.
  const program = script(
    t,
    `"${APP_SERVER}" "$@" 2>/dev/null || exit 1
sed -i 's#"currentTime/read"#"moon/read"#; s#"writeStdin"#"teleport"#; s#"startedAtMs",#"startedAtMs", "tide",#' "$DIR/ServerRequest.json"
sed -i 's#"turn/interrupt"#"turn/halt"#; s#"expectedTurnId",#"expectedTurnId", "pilot",#' "$DIR/ClientRequest.json"
sed -i 's#"decline"#"refuse"#' "$DIR/CommandExecutionRequestApprovalResponse.json"
sed -i 's#"turn/completed"#"turn/over"#' "$DIR/ServerNotification.json"`,
  );
  const { unknown } = await compare(program);
  for (const expected of [
    "asks moon/read, which is answered as unsupported",
    "item/commandExecution/requestApproval has the unknown required parameter tide",
    "asks for approvals of the unknown kind teleport, which are declined",
    "no longer takes the answer decline to approvals",
    "no longer takes turn/interrupt",
    "turn/steer needs the unknown parameter pilot",
    "no longer sends turn/completed",
  ])
    assert.ok(unknown.includes(expected), `${expected} in ${unknown.join("; ")}`);
});

test("a program that cannot write its schemas, writes garbage or is missing is a problem and not a failure", async (t) => {
  assert.match(
    (await compare(script(t, "echo no such command s3cret >&2; exit 2"))).problem ?? "",
    /no such command \[secret\]$/,
  );
  assert.match(
    (await compare(script(t, 'mkdir -p "$DIR"; echo "<html>" > "$DIR/ServerRequest.json"'))).problem ?? "",
    /cannot be read/,
  );
  assert.match((await compare("/nowhere/codex")).problem ?? "", /cannot be started \(ENOENT\)/);
});

test("an older program without the option for experimental parts is asked without it", async (t) => {
  const log = script(t, "");
  const program = script(t, `echo "$@" >> "${log}.args"; case "$*" in *experimental*) exit 2;; esac; exit 0`);
  assert.match((await compare(program)).problem ?? "", /cannot be read/);
  assert.deepEqual(
    readFileSync(`${log}.args`, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.includes("--experimental")),
    [true, false],
  );
});
