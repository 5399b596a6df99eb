import assert from "node:assert/strict";
import { test } from "node:test";
import { agentWorld } from "../../../fixtures/permissions/by-agent.js";
import type { Step } from "../../../fixtures/permissions/rows.js";
import { noSandbox } from "../../../fixtures/permissions/sandbox.js";
import { proves } from "../../../fixtures/requirements.js";
import { programOnPath } from "../../base/process/program-path.js";

const CALLS = process.env["AGENT_TEST_SHORT"] === "1" ? 4 : 20;
const REDIRECTIONS = 100;
const skip =
  noSandbox() ?? (programOnPath("bwrap", process.env["PATH"]) === undefined ? "bubblewrap is not installed" : false);

const terminal = (command: string, background = false): Step => ({ kind: "terminal", command, background });

/** A link that leads into the project and out of it by turns, as fast as that goes. */
const SWAPS = "mkdir -p real; while :; do ln -sfn real d; ln -sfn ../outside d; done";
/** At least so many writes, and until the link has led both ways. Each is a process, so that the link has time to be swapped between two of them. */
const WRITES = `n=0 inside= outside=
until [ $n -ge ${REDIRECTIONS} ] && [ "$inside" ] && [ "$outside" ]; do
  n=$((n + 1))
  if said=$( { echo x >> d/f; } 2>&1); then inside=1; echo written
  else echo "$said"; case $said in *Read-only*) outside=1 ;; esac; fi
done | sort | uniq -c`;

test("a link that is swapped under redirections leads none of 2,000 outside the project", { skip }, async (t) => {
  proves(t, "R7");
  const world = await agentWorld("auto");
  t.after(() => world.close());
  const steps = [terminal(SWAPS, true), ...Array.from({ length: CALLS }, () => terminal(WRITES))];
  let printed = "";
  let changes: readonly string[] = ["nothing was tried"];
  const tried = (_: unknown, { results }: { readonly results: readonly string[] }) => {
    printed = results.join("\n");
    changes = world.scratch.outside.changes();
  };
  // Without questions, so that nothing but the cage holds them.
  const ran = await world.attempt([{ id: "race", steps }], tried, ["--yolo"]);
  assert.deepEqual(changes, [], ran.err);
  const count = (what: RegExp) => [...printed.matchAll(what)].reduce((sum, [, number]) => sum + Number(number), 0);
  const written = count(/(\d+) written/g);
  const refused = count(/(\d+) [^\n]*?d\/f: Read-only file system/g);
  t.diagnostic(`${written} written in the project, ${refused} refused outside`);
  assert.ok(written > 0 && refused > 0, `the link led both ways: ${printed.slice(0, 2_000)}`);
});

test("every process of a home is caged, not only the first, also for a user who is not root", { skip }, async (t) => {
  const world = await agentWorld("auto");
  t.after(() => world.close());
  const results: string[] = [];
  const attempt = { id: "write", steps: [terminal("echo x > /home/person/outside/x")] };
  for (let process = 0; process < 3; process++)
    await world.attempt([attempt], (_, tried) => results.push(...tried.results), ["--yolo"]);
  assert.deepEqual(
    results.map((text) => text.includes("Read-only file system")),
    [true, true, true],
    results.join("\n"),
  );
});
