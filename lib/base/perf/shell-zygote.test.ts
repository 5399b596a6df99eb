import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { LIMITS } from "../limits.js";
import type { Child, SpawnSpec } from "../process/spawn.js";
import { systemSpawner } from "../process/spawn-system.js";
import { systemClock } from "../time/clock.js";
import { openZygote } from "./shell-zygote.js";

const linux = process.platform === "linux";

/** With a setting of its own for every perl, what starts the shells is a bash. */
const LOOPS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["perl", {}],
  ["bash", { PERL5LIB: "/nonexistent" }],
];

/** A zygote in a directory of its own; `loop()` is its process. */
async function zygote(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), "agent-zygote-"));
  const loops: Child[] = [];
  const spawn = async (spec: SpawnSpec) => {
    const child = await systemSpawner.spawn(spec);
    loops.push(child);
    return child;
  };
  const made = await openZygote(
    { spawner: { ...systemSpawner, spawn }, clock: systemClock },
    { env: { PATH: process.env["PATH"] ?? "", ...env }, dir, name: "out", script: 'eval "$1"' },
  );
  t.after(async () => {
    made?.close();
    await loops[0]?.closed;
    assert.deepEqual(readdirSync(dir), [], "its pipe is gone");
    rmSync(dir, { recursive: true });
  });
  const start = async (script: string) => (await made?.start(script)) ?? assert.fail("nothing was started");
  return { made: made ?? assert.fail("no zygote"), loop: loops[0] ?? assert.fail(), start };
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed meanwhile
  }
}

/** Everything it writes until its output closes. */
async function outputOf(child: Child): Promise<string> {
  const chunks: Buffer[] = [];
  child.onOutput((chunk) => chunks.push(chunk));
  await child.closed;
  return Buffer.concat(chunks).toString();
}

for (const [program, own] of LOOPS) {
  test(`a shell of a zygote has its environment, its input, and an output and a code of its own: ${program}`, {
    skip: !linux,
  }, async (t) => {
    const { start } = await zygote(t, { ...own, "ODD-NAME": "1", WORD: "a\nb" });
    const first = await start('IFS= read -r line; exec </dev/null; echo "$line-$WORD-$SHLVL"; echo lost >&2; exit 7');
    assert.deepEqual(first.id, systemSpawner.identify(first.pid));
    first.write("given\n");
    first.closeInput();
    assert.deepEqual([await outputOf(first), await first.exited], ["given-a\nb-1\n", { code: 7, signal: null }]);
    const second = await start(
      "exec </dev/null; env | grep -c ODD-NAME; head -c 300000 /dev/zero | tr '\\0' x; kill -KILL $$",
    );
    second.write("");
    const text = await outputOf(second);
    assert.deepEqual(
      [text.slice(0, 3), text.length, await second.exited],
      ["1\nx", 300_002, { code: 137, signal: null }],
    );
  });

  for (const given of [{ LANG: "C.UTF-8" }, { LANG: "C.UTF-8", LC_ALL: "C" }] as const) {
    test(`a shell of a zygote speaks the language of its environment: ${Object.values(given)}: ${program}`, {
      skip: !linux,
    }, async (t) => {
      const { start } = await zygote(t, { ...own, ...given });
      const child = await start(
        "word=\u00fc\u65e5; IFS= read -r line; exec </dev/null; [[ $word == ?? ]] && echo 2 || echo 5; env | grep -a -e ^LC_ -e ^LANG | sort",
      );
      child.write("\n");
      const length = "LC_ALL" in given ? 5 : 2;
      assert.equal(
        await outputOf(child),
        `${[length, ...Object.entries(given).map((one) => one.join("="))].join("\n")}\n`,
      );
    });
  }

  for (const given of [{}, { SHELL: "/odd/shell" }]) {
    test(`a shell of a zygote knows the shell of its user as any other does: ${Object.values(given)}: ${program}`, {
      skip: !linux,
    }, async (t) => {
      const say = "declare -p SHELL";
      const env = { PATH: process.env["PATH"] ?? "", ...given };
      const plain = outputOf(
        await systemSpawner.spawn({ file: "bash", args: ["--norc", "--noprofile", "-c", say], cwd: "/", env }),
      );
      const { start } = await zygote(t, { ...own, ...given });
      const child = await start(`exec </dev/null; ${say}`);
      child.write("");
      assert.equal(await outputOf(child), await plain);
    });
  }

  test(`a zygote starts nothing while its last shell lives or its output is held open: ${program}`, {
    skip: !linux,
  }, async (t) => {
    const { made, start } = await zygote(t, own);
    const first = await start("IFS= read -r line; exec </dev/null; sleep 30 & echo $!");
    assert.equal(await made.start("exit 0"), undefined);
    const told = new Promise<number>((resolve) => first.onOutput((chunk) => resolve(Number(chunk.toString()))));
    first.write("\n");
    const sleeper = await told;
    await first.exited;
    assert.equal(await made.start("exit 0"), undefined);
    systemSpawner.signal({ pid: sleeper }, "SIGKILL");
    await first.closed;
    assert.equal(await outputOf(await start("echo again")), "again\n");
  });

  test(`what a shell writes is heard while it runs, and what it wrote before somebody listens as well: ${program}`, {
    skip: !linux,
  }, async (t) => {
    const { start } = await zygote(t, own);
    const goes = join(mkdtempSync(join(tmpdir(), "agent-zygote-")), "goes");
    t.after(() => rmSync(dirname(goes), { recursive: true }));
    const first = await start(
      `IFS= read -r line; exec </dev/null; echo now; until [ -e '${goes}' ]; do :; done; echo then`,
    );
    const heard: string[] = [];
    const now = new Promise<void>((resolve) => first.onOutput((chunk) => heard.push(chunk.toString()) && resolve()));
    first.write("\n");
    await now;
    assert.deepEqual(heard, ["now\n"]);
    writeFileSync(goes, "");
    await first.closed;
    assert.deepEqual([heard.join(""), await first.exited], ["now\nthen\n", { code: 0, signal: null }]);
    const second = await start("IFS= read -r line; exec </dev/null; echo late");
    second.write("\n");
    await second.closed;
    assert.equal(await outputOf(second), "late\n");
  });

  test(`a zygote holds one descriptor of its pipe between its shells and none behind them: ${program}`, {
    skip: !linux,
  }, async (t) => {
    const { made, loop, start } = await zygote(t, own);
    const held = () =>
      readdirSync("/proc/self/fd").filter((fd) => linkOf(`/proc/self/fd/${fd}`).endsWith("/out")).length;
    for (const script of ["echo quick", "echo slow; sleep 0.05; echo slow", "exit 3", "head -c 100000 /dev/zero"]) {
      const child = await start(`IFS= read -r line; exec </dev/null; ${script}`);
      child.onOutput(() => undefined);
      child.write("\n");
      await child.closed;
      assert.ok(held() <= 1, script);
    }
    made.close();
    await loop.closed;
    assert.equal(held(), 0);
  });

  test(`a shell that was given nothing ends when its zygote closes, one that works goes on: ${program}`, {
    skip: !linux,
  }, async (t) => {
    const { made, start } = await zygote(t, own);
    const waiting = await start("IFS= read -r line || exit 9");
    waiting.closeInput();
    assert.deepEqual([await outputOf(waiting), await waiting.exited], ["", { code: 9, signal: null }]);
    assert.equal(await made.start("exit 0"), undefined);
    const other = await zygote(t, own);
    const working = await other.start(
      "IFS= read -r line; exec </dev/null; until [ -e /proc/$PPID/fd/0 ]; do :; done; read -r -t 0.05 < <(sleep 1); echo done",
    );
    working.write("\n");
    other.made.close();
    assert.deepEqual([await outputOf(working), await working.exited], ["done\n", { code: 0, signal: null }]);
  });

  test(`a shell whose zygote is killed ends with it: ${program}`, { skip: !linux }, async (t) => {
    const { loop, start } = await zygote(t, own);
    const child = await start("exec </dev/null; sleep 60");
    child.write("");
    systemSpawner.signal({ pid: loop.pid }, "SIGKILL");
    assert.deepEqual(await child.exited, { code: null, signal: "SIGKILL" });
    await outputOf(child);
    // Its sleep died with it; the system may not have swept it up yet.
    while (systemSpawner.members(child.pid).length > 0) await setImmediate();
  });

  test(`what starts the shells of a zygote is small and leads a session of its own, as each of them does: ${program}`, {
    skip: !linux,
  }, async (t) => {
    const { loop, start } = await zygote(t, own);
    const child = await start(
      "exec </dev/null; read -r _ _ _ _ group session _ </proc/$$/stat; echo $group $session; tr '\\0' ' ' </proc/$PPID/cmdline",
    );
    child.write("");
    const [ids, ...args] = (await outputOf(child)).split("\n");
    assert.equal(ids, `${child.pid} ${child.pid}`);
    assert.notEqual(loop.pid, child.pid);
    if (existsSync("/usr/bin/perl")) assert.equal(basename(args.join(" ").split(" ")[0] ?? ""), program);
  });
}

for (const stopped of ["before it is ready", "before a shell starts"] as const)
  test(`what starts shells and was stopped ${stopped} is ended after a while, and nothing waits for it`, {
    skip: !linux,
  }, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "agent-zygote-"));
    t.after(() => rmSync(dir, { recursive: true }));
    const clock = manualClock("2026-03-29T00:30:00Z");
    const loops: Child[] = [];
    const spawn = async (spec: SpawnSpec) => {
      const child = await systemSpawner.spawn(spec);
      if (stopped === "before it is ready") process.kill(-child.pid, "SIGSTOP");
      loops.push(child);
      return child;
    };
    const env = { PATH: process.env["PATH"] ?? "" };
    const opening = openZygote(
      { spawner: { ...systemSpawner, spawn }, clock },
      { env, dir, name: "out", script: 'eval "$1"' },
    );
    if (stopped === "before it is ready") {
      while (loops.length === 0) await setImmediate();
      await setImmediate();
      clock.advance(LIMITS.shellStartMs);
      assert.equal(await opening, undefined);
    } else {
      const made = (await opening) ?? assert.fail("no zygote");
      const [loop] = loops;
      assert.ok(loop !== undefined);
      process.kill(-loop.pid, "SIGSTOP");
      const starting = made.start("exit 0");
      await setImmediate();
      clock.advance(LIMITS.shellStartMs);
      assert.equal(await starting, undefined);
      assert.equal(await made.start("exit 0"), undefined);
    }
    await loops[0]?.closed;
  });

test("where one of its programs is missing there is no zygote", async () => {
  assert.equal(
    await openZygote(
      { spawner: systemSpawner, clock: systemClock },
      { env: { PATH: "/nonexistent" }, dir: tmpdir(), name: "none", script: "" },
    ),
    undefined,
  );
});
