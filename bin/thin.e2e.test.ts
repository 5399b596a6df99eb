import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { startBackplane } from "../fixtures/sim/backplane.js";
import { bundleProgram, type Program } from "../fixtures/worlds/program.js";
import type { ExecuteLine } from "../lib/backplane/methods.js";
import { layOutHome } from "../lib/base/home.js";
import { testSignal } from "../lib/base/process/signal.js";

const CODE = `import { run } from "./bin/thin.js";
run(process.argv.slice(2)).then((outcome) => { if (outcome !== "done") process.stdout.write(outcome === "no owner" ? outcome : "again"); });`;
let program: Program;

before(async () => {
  program = await bundleProgram({ code: CODE });
});
after(() => program.remove());

test("without an owner it says so, and has written nothing else", async (t) => {
  const { home, server } = await startBackplane(t);
  await server.stop(0);
  assert.deepEqual(await finished(start(t, home.dir, ["kanban", "list"])), { code: 0, out: "no owner", err: "" });
});

test("an owner that is leaving has begun nothing, and counts as none", async (t) => {
  const { home, server } = await startBackplane(t);
  server.leave("test");
  assert.equal((await finished(start(t, home.dir, ["status"]))).out, "no owner");
});

test("output goes where it belongs, and the exit code is that of the owner", async (t) => {
  const home = await owner(t, async (_request, io) => {
    await io.out("résult\n");
    await io.err("warning\n");
    return { exit: 3 };
  });
  assert.deepEqual(await finished(start(t, home.dir, ["kanban", "list"])), {
    code: 3,
    out: "résult\n",
    err: "warning\n",
  });
});

test("the owner gets words, directory and width, and of the environment only what commands look at", async (t) => {
  const home = await owner(t, async (request, io) => {
    await io.out(JSON.stringify(request));
    return { exit: 0 };
  });
  const env = { COLUMNS: "132", AGENT_KANBAN_BOARD: "x", LC_ALL: "C", SECRET_TOKEN: "s", AWS_KEY: "k" };
  const { out } = await finished(start(t, home.dir, ["kanban", "show", "--json", "ä b", ""], env));
  const request = JSON.parse(out);
  assert.deepEqual(request.argv, ["kanban", "show", "--json", "ä b", ""]);
  assert.equal(request.cwd, process.cwd());
  assert.equal(request.columns, 132);
  assert.equal(request.color, false);
  assert.equal(request.is_tty, false);
  const { PATH: _path, HOME: _home, ...seen } = request.env;
  assert.deepEqual(seen, { AGENT_HOME: home.dir, AGENT_KANBAN_BOARD: "x", LC_ALL: "C", COLUMNS: "132" });
});

for (const kind of ["text", "bytes"]) {
  test(`twenty megabytes of ${kind} reach a slow reader whole, and the owner waits meanwhile`, async (t) => {
    const chunk = "0123456789\nabcde".repeat(4096);
    const home = await owner(t, async (_request, io) => {
      for (let n = 0; n < 320; n++) await (kind === "text" ? io.out(chunk) : io.bytes(Buffer.from(chunk)));
      return { exit: 0 };
    });
    const child = start(t, home.dir, ["sessions", "export"]);
    const all = createHash("sha256");
    let bytes = 0;
    for await (const part of child.stdout ?? []) {
      bytes += part.length;
      all.update(part);
      if (bytes % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(bytes, 320 * chunk.length);
    assert.equal(all.digest("hex"), createHash("sha256").update(chunk.repeat(320)).digest("hex"));
  });
}

test("text and bytes of one answer stand in the order in which they were written", async (t) => {
  const home = await owner(t, async (_request, io) => {
    for (const piece of ["a\n", "ä{}\n", ""]) {
      await io.out(piece);
      await io.bytes(Buffer.from(`[${piece}]`));
      await io.bytes(Buffer.alloc(0));
    }
    await io.err("done");
    return { exit: 4 };
  });
  assert.deepEqual(await finished(start(t, home.dir, ["kanban", "list"])), {
    code: 4,
    out: "a\n[a\n]ä{}\n[ä{}\n][]",
    err: "done",
  });
});

test("an interrupt is the owner's to answer; a second one does not wait for it", async (t) => {
  const home = await owner(t, async (_request, io) => {
    await io.out("ready");
    if (!io.interrupted.aborted) await once(io.interrupted, "abort");
    if (io.interrupted.reason === "SIGTERM") return { exit: 143 };
    await io.out("stubborn");
    await once(io.gone, "abort");
    return { exit: 1 };
  });
  const polite = start(t, home.dir, ["doctor"]);
  await once(polite.stdout ?? polite, "data");
  polite.kill("SIGTERM");
  assert.deepEqual(await once(polite, "exit"), [143, null]);
  const stubborn = start(t, home.dir, ["doctor"]);
  await once(stubborn.stdout ?? stubborn, "data");
  stubborn.kill("SIGINT");
  await once(stubborn.stdout ?? stubborn, "data");
  stubborn.kill("SIGINT");
  assert.deepEqual(await once(stubborn, "exit"), [130, null]);
});

for (const { what, code } of [
  { what: "a report", code: 0 },
  { what: "a turn", code: 141 },
]) {
  test(`${what} whose reader goes away ends with ${code}, without a word`, async (t) => {
    const told = testSignal();
    const home = await owner(t, async (_request, io) => {
      if (code !== 0) io.pipeExit(code);
      while (!io.gone.aborted) await io.out("line\n".repeat(1000));
      told.emit();
      return { exit: 5 };
    });
    const child = start(t, home.dir, ["kanban", "list"]);
    await once(child.stdout ?? child, "data");
    child.stdout?.destroy();
    let err = "";
    child.stderr?.on("data", (part) => (err += part));
    assert.deepEqual(await once(child, "exit"), [code, null]);
    await told.next();
    assert.equal(err, "");
  });
}

for (const json of [[], ["--json"]]) {
  test(`an owner that is lost in the middle gives exit 1 and says so, ${json.length === 0 ? "in words" : "under --json in JSON alone"}`, async (t) => {
    const begun = testSignal();
    const world = await startBackplane(t, {
      run: async (_request, io) => {
        begun.emit();
        await once(io.gone, "abort");
        return { exit: 0 };
      },
    });
    const child = start(t, world.home.dir, ["kanban", "gc", ...json]);
    const end = finished(child);
    await begun.next();
    await world.server.stop(0);
    const { code, out, err } = await end;
    assert.equal(code, 1);
    if (json.length === 0)
      return assert.match(err, /^agent: the owner exited during the command\nagent: the outcome is unknown/);
    const { type, error } = JSON.parse(out);
    assert.deepEqual([type, error.code, err], ["error", "E_OWNER_LOST", ""]);
  });
}

for (const { how, words, shown = "", said } of [
  { how: "a change is left to the whole program, which finds what was done", words: ["create", "x"], said: "again" },
  { how: "a change whose answer has begun is not run again", words: ["complete", "t_1"], shown: "half", said: "half" },
  {
    how: "a change without a trace of its own is left to the whole program with its idempotency key",
    words: ["swarm", "x", "--idempotency-key", "k"],
    said: "no owner",
  },
  { how: "without an idempotency key it is not run again", words: ["swarm", "x"], said: "" },
  { how: "a key behind the end of options is text", words: ["swarm", "x", "--", "--idempotency-key", "k"], said: "" },
  { how: "a deletion is not run again", words: ["archive", "t_1", "--rm"], said: "" },
  { how: "what is set again stays as it is", words: ["boards", "switch", "x"], said: "again" },
  { how: "a read is left to the whole program", words: ["list", "--json"], said: "again" },
]) {
  test(`the owner ends in the middle of kanban ${words[0]}: ${how}`, async (t) => {
    const begun = testSignal();
    const world = await startBackplane(t, {
      run: async (_request, io) => {
        if (shown !== "") await io.out(shown);
        begun.emit();
        await once(io.gone, "abort");
        return { exit: 0 };
      },
    });
    const child = start(t, world.home.dir, ["kanban", ...words]);
    const end = finished(child);
    await begun.next();
    if (shown !== "") await once(child.stdout ?? child, "data");
    await world.server.stop(0);
    const { code, out } = await end;
    assert.deepEqual([code, out], [shown === "" && said !== "" ? 0 : 1, said]);
  });
}

test("a refusal is reported as JSON under --json", async (t) => {
  const { home } = await startBackplane(t, { run: async () => Promise.reject(new Error("a defect")) });
  const { code, out } = await finished(start(t, home.dir, ["kanban", "list", "--json"]));
  assert.equal(code, 1);
  assert.equal(JSON.parse(out).error.code, "E_INTERNAL");
});

test("an owner that takes the connection and is silent is named with its pid", async (t) => {
  const { home, server } = await startBackplane(t);
  await server.stop(0);
  const mute = createServer();
  await new Promise<void>((resolve) => mute.listen(home.socket, resolve));
  t.after(() => mute.close());
  writeFileSync(home.lock, JSON.stringify({ pid: 4711 }));
  const { code, err } = await finished(start(t, home.dir, ["status"]));
  assert.equal(code, 1);
  assert.match(err, /pid 4711/);
});

test("boards are asked of the root's owner, everything else of the profile's", async (t) => {
  const root = await owner(t, async (_request, io) => {
    await io.out("root");
    return { exit: 0 };
  });
  const dir = join(root.dir, "profiles", "work");
  await mkdir(dir, { recursive: true });
  assert.equal((await finished(start(t, dir, ["kanban", "list"]))).out, "root");
  assert.equal((await finished(start(t, dir, ["status"]))).out, "no owner");
  assert.equal(layOutHome(root.dir).socket, root.socket);
});

async function owner(t: TestContext, run: ExecuteLine) {
  return (await startBackplane(t, { run })).home;
}

function start(
  t: TestContext,
  home: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const child = spawn(process.execPath, [program.file, ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], AGENT_HOME: home, ...env },
  });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

async function finished(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  let out = "";
  let err = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => (out += part));
  child.stderr?.setEncoding("utf8").on("data", (part: string) => (err += part));
  const [code] = await once(child, "close");
  return { code, out, err };
}
