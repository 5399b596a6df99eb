import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { world } from "../../fixtures/e2e/world.js";
import type { Script, ScriptedCall } from "../../fixtures/servers/model/script.js";

const code = (text: string, language: string): ScriptedCall => ({
  name: "execute_code",
  arguments: { code: text, language },
});
const terminal = (command: string, more = {}): ScriptedCall => ({ name: "terminal", arguments: { command, ...more } });

/** Children in groups of their own, which outlive a shell that is ended alone. */
const COMMAND = `bash -c 'set -m; sleep 600 & (trap "" HUP TERM INT; while :; do :; done) & touch begun; wait'; true`;

/** Processes whose directory it is, those in a cage included. */
const workingIn = (dir: string): readonly string[] => readdirSync("/proc").filter((pid) => directoryOf(pid) === dir);

function directoryOf(pid: string): string | undefined {
  try {
    return /^\d+$/.test(pid) ? readlinkSync(`/proc/${pid}/cwd`) : undefined;
  } catch {
    return undefined; // it has ended
  }
}

const LOOPS: readonly { readonly what: string; readonly rounds: readonly ScriptedCall[] }[] = [
  {
    what: "a loop of JavaScript and what it started",
    rounds: [
      code(
        `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";
spawn("sleep", ["600"]); writeFileSync("begun", ""); for (;;);`,
        "javascript",
      ),
    ],
  },
  { what: "a loop of Python", rounds: [code("open('begun', 'w').close()\nwhile True: pass", "python")] },
  { what: "the first command of a conversation with its children", rounds: [terminal(COMMAND)] },
  { what: "a later command with its children", rounds: [terminal("true"), terminal("true 2"), terminal(COMMAND)] },
  { what: "a command with a terminal of its own", rounds: [terminal("touch begun; sleep 600; true", { pty: true })] },
  {
    what: "a process in the background",
    rounds: [terminal("sleep 600; true", { background: true }), terminal("touch begun; sleep 600; true")],
  },
];

for (const cage of ["off", "auto"])
  for (const { what, rounds } of LOOPS) {
    test(`an owner that is killed takes with it, cage ${cage}: ${what}`, async (t) => {
      const script: Script = { replies: [...rounds.map((call) => ({ tool_calls: [call] })), { text: "done" }] };
      const made = await world(t, { model: { script }, name: "any", config: `terminal:\n  cage: ${cage}\n` });
      const turn = made.start(["-z", "go", "--yolo"]);
      await eventually(() => existsSync(join(made.work, "begun")));
      assert.ok(workingIn(made.work).length > 1);
      await turn.end("SIGKILL");
      await eventually(() => workingIn(made.work).length === 0);
    });
  }

test("what an earlier command left running on purpose outlives an owner that is killed", async (t) => {
  const daemon = `const child = require("child_process").spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
require("fs").writeFileSync("daemon", String(child.pid));
child.unref();`;
  const rounds = [terminal(`node -e '${daemon}'`), terminal("touch begun; sleep 600; true")];
  const replies = rounds.map((call) => ({ tool_calls: [call] }));
  const made = await world(t, { model: { script: { replies } }, name: "any", config: "terminal:\n  cage: off\n" });
  const turn = made.start(["-z", "go", "--yolo"]);
  await eventually(() => existsSync(join(made.work, "begun")));
  await turn.end("SIGKILL");
  const pid = readFileSync(join(made.work, "daemon"), "utf8");
  await eventually(() => workingIn(made.work).every((one) => one === pid));
  assert.deepEqual(workingIn(made.work), [pid]);
});
