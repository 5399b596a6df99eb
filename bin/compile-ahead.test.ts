import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { compiledAhead } from "../lib/base/compiled.js";
import { compileAhead, HINTS_FILE, type Hints } from "./compile-ahead.js";
import { compiledIn, hintsFor } from "./dev/wasm-hints.js";

const FILE = "sql-wasm.wasm";
const SOURCE = join("node_modules", "sql.js", "dist", FILE);

type Wasm = {
  readonly Module: {
    new (bytes: Uint8Array): object;
    customSections(module: object, name: string): ArrayBuffer[];
    exports(module: object): unknown[];
  };
};
const wasm: Wasm = Reflect.get(globalThis, "WebAssembly"); // every Node has it

async function folder(t: TestContext, hints: Hints | undefined): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "agent-ahead-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, FILE), await readFile(SOURCE));
  if (hints) await writeFile(join(dir, HINTS_FILE), JSON.stringify({ [FILE]: hints }));
  return dir;
}

test("hints name each function of an engine once, and the engine stays what it is", async (t) => {
  const bytes = await readFile(SOURCE);
  const log = "code-creation,JS,4,1,0x1,3,wasm-function[158],0x2,\ncode-creation,JS,4,1,0x1,3,wasm-function[41]-liftoff,0x2,\nother";
  const dir = await folder(t, hintsFor(bytes, compiledIn(log)));
  const flags: string[] = [];
  assert.equal(
    compileAhead(dir, FILE, (flag) => flags.push(flag)),
    true,
  );
  assert.deepEqual(flags, ["--experimental-wasm-compilation-hints", "--no-wasm-lazy-compilation"]);
  const module = await compiledAhead(FILE);
  assert.ok(module);
  const plain = new wasm.Module(bytes);
  assert.deepEqual(wasm.Module.exports(module), wasm.Module.exports(plain));
  const [section] = wasm.Module.customSections(module, "compilationHints");
  const hints = Buffer.from(section ?? new ArrayBuffer(0)).subarray(2); // behind their number, of two bytes
  const atOnce = [...hints.entries()].filter(([, hint]) => (hint & 3) === 2).map(([at]) => at);
  assert.ok(hints.length > 1_000);
  assert.equal((atOnce[1] ?? 0) - (atOnce[0] ?? 0), 158 - 41);
  assert.equal(atOnce.length, 2);
});

for (const { what, hints } of [
  { what: "there are no hints", hints: undefined },
  { what: "they are of another engine", hints: { size: 5, at: 1, section: "" } },
]) {
  test(`nothing is compiled ahead, and no flag is set, when ${what}`, async (t) => {
    const dir = await folder(t, hints);
    const fail = () => assert.fail("a flag was set");
    assert.equal(compileAhead(dir, FILE, fail), false);
    await writeFile(join(dir, HINTS_FILE), "{ half");
    assert.equal(compileAhead(dir, FILE, fail), false);
  });
}
