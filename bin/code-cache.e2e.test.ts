import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { HINTS_FILE } from "./compile-ahead.js";
import { freshEnv, runProgram } from "./dev/drive.js";

const CHUNK = /-[A-Z0-9]{8}\.cjs$/;
const ARGS = ["kanban", "list", "--json"] as const;

/** A program of its own, with a cache that one run of it wrote. */
async function setup(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), "agent-cache-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const dist = join(dir, "dist");
  await cp("dist", dist, { recursive: true, filter: (path) => !path.includes(join("dist", "test")) && !path.endsWith(".map") });
  for (const name of ["code-cache.bin", HINTS_FILE]) await rm(join(dist, name), { force: true }); // a warm build left them
  const run = (env: Record<string, string> = {}) =>
    runProgram(process.execPath, [join(dist, "agent.cjs"), ...ARGS], { env: freshEnv(join(dir, "home"), env) });
  assert.equal((await run({ AGENT_CODE_CACHE: "write" })).code, 0);
  return { dist, run, cache: join(dist, "code-cache.bin") };
}

describe("the code cache of short commands", () => {
  it("holds the text of every chunk that the run loaded", async (t) => {
    const { dist, run, cache } = await setup(t);
    const bytes = await readFile(cache);
    const kept: { name: string }[] = JSON.parse(bytes.toString("utf8", 0, bytes.indexOf("\n")));
    assert.ok(kept.length > 20, `${kept.length} chunks`);
    const entry = new Set((await readdir(dist)).filter((name) => CHUNK.test(name)));
    assert.ok(kept.every(({ name }) => entry.has(name)));
    const ran = await run();
    assert.deepEqual([ran.code, ran.stdout], [0, "[]\n"]);
  });

  it("is left out when the engine does not accept it", async (t) => {
    const { run, cache } = await setup(t);
    const bytes = await readFile(cache);
    const start = bytes.indexOf("\n") + 1;
    const places: { from: number; code: number }[] = JSON.parse(bytes.toString("utf8", 0, start));
    for (const { from, code } of places) bytes.fill(0, start + from, start + from + code);
    await writeFile(cache, bytes);
    const ran = await run();
    assert.deepEqual([ran.code, ran.stdout], [0, "[]\n"]);
  });

  it("costs nothing but time when it is missing", async (t) => {
    const { run, cache } = await setup(t);
    await rm(cache);
    assert.equal((await run()).code, 0);
  });
});
