import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Bench, bench } from "../../../fixtures/worlds/tool-context.js";
import { silentLog } from "../../base/log/log.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { ToolResult } from "../core/define.js";
import { shellDir } from "./image.js";
import { endLeftShells } from "./left.js";
import terminal from "./terminal.js";

const LINUX = {
  skip: process.platform === "linux" ? false : "elsewhere the system does not tell what a process was started with",
};

const sweep = (at: Bench) => endLeftShells(systemSpawner, at.context.home, silentLog);

/** A command that has begun and does not come back, as one whose owner was killed. `forget` ends it at the end of the test. */
async function begin(t: TestContext, at: Bench): Promise<{ readonly ended: Promise<ToolResult> }> {
  const control = new AbortController();
  let seen: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const ended = at.run(terminal, { command: "echo begun; sleep 600" }, { signal: control.signal, progress: seen });
  t.after(async () => {
    control.abort();
    await ended;
  });
  await begun;
  return { ended };
}

for (const [what, before] of [
  ["in the first shell of a conversation", []],
  ["in one that was started ahead", ["true", "true"]],
] as const) {
  test(`a command outlives its killed owner till the next one ends it: ${what}`, LINUX, async (t) => {
    const at = bench(t);
    for (const command of before) await at.json(terminal, { command });
    const { ended } = await begin(t, at);
    await sweep(at);
    assert.equal((await ended).exitCode, 128 + 15);
  });
}

test(
  "an owner at its start removes what a killed one has left between two commands, and nothing that a living shell needs",
  LINUX,
  async (t) => {
    const at = bench(t);
    const dir = shellDir(at.context.home);
    await at.json(terminal, { command: "export SECRET_WORD=hush" });
    await at.json(terminal, { command: "sleep 600", background: true });
    const needed = readdirSync(dir);
    for (const name of ["00ff00ff00ff00ff.state", "00ff00ff00ff.sh", "00ff00ff00ff00ff.state.sh"])
      writeFileSync(join(dir, name), "declare -x SECRET_WORD=hush\n");
    await sweep(at);
    assert.deepEqual(
      readdirSync(dir).filter((name) => name.startsWith("00ff")),
      [],
    );
    const kept = readdirSync(dir);
    assert.deepEqual(
      needed.filter((name) => !kept.includes(name)),
      [],
    );
    assert.equal((await at.json(terminal, { command: "echo $SECRET_WORD" }))["output"], "hush");
  },
);

const DAEMON = `const child = require("child_process").spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
console.log(child.pid);
child.unref();`;

test(
  "an owner at its start ends no command of a worker or of another home, nor what runs in the background on purpose",
  LINUX,
  async (t) => {
    const at = bench(t);
    const worker = bench(t, { env: { AGENT_WORKER_MARK: "t_1.1" } });
    const other = bench(t);
    // The worker has the same home.
    const sameHome: Bench = {
      ...worker,
      run: (tool, args, more) => worker.run(tool, args, { ...more, home: at.context.home }),
    };
    for (const one of [sameHome, other]) await begin(t, one);
    await at.json(terminal, { command: "sleep 600", background: true });
    const daemon = await at.json(terminal, { command: `${process.execPath} -e '${DAEMON}'` });
    const dirs = [at, other].map(({ context }) => shellDir(context.home));
    const working = (line: string) => line.includes("sleep 600") && dirs.some((dir) => line.includes(dir)); // none that waits for its command
    const shells = systemSpawner.leaders().filter(({ args }) => working(args.join(" ")));
    const ids = [...shells.map(({ id }) => id), systemSpawner.identify(Number(daemon["output"]))];
    t.after(() => {
      for (const id of ids) if (id !== undefined) systemSpawner.signal({ group: id.pid }, "SIGKILL");
    });
    await sweep(at);
    assert.deepEqual(
      ids.map((id) => id !== undefined && systemSpawner.alive(id)),
      [true, true, true, true],
    );
  },
);
