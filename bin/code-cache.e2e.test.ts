import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { startModelServer } from "../fixtures/servers/model/server.js";
import { openCode, writeCode } from "../lib/base/perf/code-file.js";
import { CODE_CACHES } from "./dev/code-cache.js";
import { freshEnv, runProgram } from "./dev/drive.js";

const CHUNK = /-[A-Z0-9]{8}\.cjs$/;
const ARGS = ["kanban", "list", "--json"] as const;

/** Tests of other files bundle programs of their own below dist, and remove them at any time. */
const isProgram = (path: string): boolean => !/^dist.(test|faults|program-)/.test(path) && !path.endsWith(".map");

/** A program of its own, without what a warm build left. */
async function program(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), "agent-cache-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const dist = join(dir, "dist");
  const home = join(dir, "home");
  await cp("dist", dist, { recursive: true, filter: isProgram });
  for (const name of CODE_CACHES) await rm(join(dist, name), { force: true });
  const node = (args: readonly string[], env: Record<string, string>) =>
    runProgram(process.execPath, args, { env: freshEnv(home, env) });
  return { dist, home, node };
}

/** One with a cache that runs of it wrote: the first finds what is needed, the second what is remembered of it. */
async function setup(t: TestContext) {
  const { dist, node } = await program(t);
  const run = (env: Record<string, string> = {}) => node([join(dist, "agent.cjs"), ...ARGS], env);
  for (let runs = 0; runs < 2; runs++) assert.equal((await run({ AGENT_CODE_CACHE: "write" })).code, 0);
  return { dist, run, cache: join(dist, "code-cache-look.bin") };
}

describe("the code cache of short commands", () => {
  it("holds every chunk that the run loaded, with its code", async (t) => {
    const { dist, run, cache } = await setup(t);
    const kept = openCode(cache);
    assert.ok(kept.names.length > 20, `${kept.names.length} chunks`);
    const there = new Set((await readdir(dist)).filter((name) => CHUNK.test(name)));
    for (const name of kept.names) {
      assert.ok(there.has(name) && (kept.read(name)?.code.length ?? 0) > 0, name);
      await rm(join(dist, name));
    }
    const ran = await run();
    assert.deepEqual([ran.code, ran.stdout], [0, "[]\n"]);
  });

  it("leaves chunks that it does not have where they are", async (t) => {
    const { run, cache } = await setup(t);
    const kept = openCode(cache);
    const [first = ""] = kept.names;
    const chunk = kept.read(first);
    assert.ok(chunk);
    writeCode(cache, new Map([[first, chunk]]));
    const ran = await run();
    assert.deepEqual([ran.code, ran.stdout], [0, "[]\n"]);
  });

  it("is left out when the engine does not accept it", async (t) => {
    const { run, cache } = await setup(t);
    const bytes = await readFile(cache);
    const start = bytes.indexOf("\n") + 1;
    const { places }: { places: { from: number; code: number }[] } = JSON.parse(bytes.toString("utf8", 0, start));
    for (const { from, code } of places) bytes.fill(0, start + from, start + from + code);
    await writeFile(cache, bytes);
    const ran = await run();
    assert.deepEqual([ran.code, ran.stdout], [0, "[]\n"]);
  });

  it("holds nothing of what a command loads only because it took long", async (t) => {
    const { dist, home, node } = await program(t);
    const model = await startModelServer();
    t.after(() => model.close());
    await mkdir(home);
    await writeFile(
      join(home, "config.yaml"),
      `model:\n  provider: custom\n  base_url: ${model.url}\n  default: script:stream\n`,
    );
    const ran = await node([join(dist, "agent.cjs"), "-z", "stream 10 10"], { AGENT_CODE_CACHE: "write" });
    assert.equal(ran.code, 0, ran.stderr);
    const { names } = openCode(join(dist, "code-cache-turn.bin"));
    assert.ok(names.some((name) => name.startsWith("chat-")));
    assert.deepEqual(
      names.filter((name) => name.startsWith("door-")),
      [],
    );
  });

  it("costs nothing but time when it is missing, or switched off", async (t) => {
    const { run, cache } = await setup(t);
    assert.equal((await run({ AGENT_PLAIN: "1" })).code, 0);
    await rm(cache);
    assert.equal((await run()).code, 0);
  });
});

it("the code cache of a list holds nothing of the board but what lists", async (t) => {
  const { cache } = await setup(t);
  const { names } = openCode(cache);
  assert.ok(names.some((name) => name.startsWith("build-looking-")));
  assert.ok(names.every((name) => !name.startsWith("build-board-")));
});
