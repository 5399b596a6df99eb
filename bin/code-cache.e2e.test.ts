import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { Script } from "node:vm";
import { startModelServer } from "../fixtures/servers/model/server.js";
import { toCodeFileName } from "../lib/base/perf/compiled.js";
import { openCode, writeCode } from "./code-file.js";
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
  it("holds the text of every chunk that the run loaded, most of them in one pack with its code", async (t) => {
    const { dist, run, cache } = await setup(t);
    const kept = openCode(cache);
    const pack = kept.read("pack");
    assert.ok(pack && pack.code.length > 0);
    const packed = Object.keys(new Script(pack.text).runInThisContext());
    assert.ok(packed.length > 20, `${packed.length} chunks`);
    const entry = new Set((await readdir(dist)).filter((name) => CHUNK.test(name)));
    const single = kept.names.filter((name) => name !== "pack");
    assert.ok([...packed, ...single].every((name) => entry.has(name)));
    for (const name of [...packed, ...single]) await rm(join(dist, name));
    const ran = await run();
    assert.deepEqual([ran.code, ran.stdout], [0, "[]\n"]);
  });

  it("takes chunks that its pack does not have from where they are", async (t) => {
    const { run, cache } = await setup(t);
    const kept = openCode(cache);
    const pack = kept.read("pack");
    assert.ok(pack);
    writeCode(cache, new Map([["pack", { text: "({ __proto__: null })", code: pack.code }]]));
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
    const kept = openCode(join(dist, "code-cache-turn.bin"));
    const pack: unknown = new Script(kept.read("pack")?.text ?? "").runInThisContext();
    assert.ok(typeof pack === "object" && pack !== null);
    const names = [...Object.keys(pack), ...kept.names];
    assert.ok(names.some((name) => name.startsWith("chat-")));
    assert.deepEqual(
      names.filter((name) => name.startsWith("door-")),
      [],
    );
  });

  it("costs nothing but time when it is missing", async (t) => {
    const { run, cache } = await setup(t);
    await rm(cache);
    assert.equal((await run()).code, 0);
  });
});

it("the code cache of a list holds nothing of the board but what lists", async (t) => {
  const { cache } = await setup(t);
  const packed: unknown = new Script(openCode(cache).read("pack")?.text ?? "").runInThisContext();
  assert.ok(typeof packed === "object" && packed !== null);
  const names = Object.keys(packed);
  assert.ok(names.some((name) => name.startsWith("build-looking-")));
  assert.ok(names.every((name) => !name.startsWith("build-board-")));
});

const ENGINES = [
  ["sql-wasm.wasm", ["kanban", "create", "one", "--triage"]],
  ["node-sqlite3-wasm.wasm", ["-z", "hello"]],
] as const;

/** Tells at the end how many engines the runtime was given to compile. */
const COUNTING = `
  let made = 0;
  WebAssembly.Module = new Proxy(WebAssembly.Module, { construct: (target, given) => (made++, new target(...given)) });
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = (...given) => (made++, instantiate(...given));
  process.once("exit", () => require("node:fs").writeFileSync(process.env.AGENT_HOME + "/made", String(made)));
`;

/** How many engines a run gives the runtime to compile. */
async function counted(t: TestContext) {
  const { dist, home, node } = await program(t);
  const counting = join(dist, "counting.cjs");
  await writeFile(counting, COUNTING);
  const compiled = async (args: readonly string[], env: Record<string, string> = {}) => {
    const ran = await node(["--require", counting, join(dist, "agent.cjs"), ...args], env);
    assert.equal(ran.code, 0, ran.stderr);
    return Number(await readFile(join(home, "made"), "utf8"));
  };
  return { dist, compiled };
}

it("the machine code of an engine is taken by all short commands, whether their own code is optimised or not", async (t) => {
  const { compiled } = await counted(t);
  const runs = [
    ["kanban", "create", "one", "--triage"],
    ["kanban", "list"],
    ["kanban", "boards", "list"],
  ] as const;
  assert.equal(await compiled(runs[0], { AGENT_CODE_CACHE: "engines" }), 1);
  for (const args of runs) assert.equal(await compiled(args), 0, args.join(" "));
  assert.equal(await compiled(runs[2], { AGENT_CODE_CACHE: "engines" }), 0);
  for (const args of runs) assert.equal(await compiled(args), 0, args.join(" "));
});

for (const [file, args] of ENGINES) {
  it(`the machine code of ${file} is taken from an earlier run, but not when it is cut short, or of another engine or runtime`, async (t) => {
    const { dist, compiled: compiledBy } = await counted(t);
    const compiled = (env?: Record<string, string>) => compiledBy(args, env);
    assert.equal(await compiled(), 1);
    assert.equal(await compiled({ AGENT_CODE_CACHE: "engines" }), 1);
    assert.equal(await compiled(), 0);
    const path = join(dist, toCodeFileName(file));
    const code = await readFile(path);
    const other = Buffer.from(code).fill(1, 0, 8);
    const alien = Buffer.from(code).fill(1, 8, 40);
    for (const wrong of [code.subarray(0, 5), other, alien, Buffer.alloc(0)]) {
      await writeFile(path, wrong);
      assert.equal(await compiled(), 1);
    }
  });
}
