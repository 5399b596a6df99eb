import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { RUNTIME } from "../runtime.js";
import { type Kept, openCode, writeCode } from "./code-file.js";

async function place(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "agent-code-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return join(dir, "code.bin");
}

const kept = (code: string, text: string): Kept => ({ code: Buffer.from(code), text });
const ALL = new Map([
  ["a.cjs", kept("code of a", "text of a, ä")],
  ["b.cjs", kept("", "b")],
  ["c.cjs", kept("c\n\n", "\n")],
  ["d.cjs", kept("d".repeat(300_000), "d".repeat(300_000))],
]);

describe("the file of remembered code", () => {
  it("gives each chunk as it was written", async (t) => {
    const file = await place(t);
    writeCode(file, ALL);
    const code = openCode(file);
    assert.deepEqual(code.names, [...ALL.keys()]);
    for (const [name, chunk] of ALL) assert.deepEqual(code.read(name), chunk);
    assert.equal(code.read("e.cjs"), undefined);
  });

  it("is as if it were not there when it is missing, has no line of places or a broken one, or ends too soon", async (t) => {
    const file = await place(t);
    assert.deepEqual(openCode(file).names, []);
    for (const broken of ["", "[", "[\n", "null\n", '{"name":"a.cjs"}\n', `{"runtime":"${RUNTIME}"}\n`]) {
      await writeFile(file, broken);
      assert.deepEqual(openCode(file).names, [], broken);
    }
    writeCode(file, ALL);
    await writeFile(file, (await readFile(file)).subarray(0, -300_001)); // part of the code of the last
    assert.equal(openCode(file).read("d.cjs"), undefined);
    writeCode(file, ALL);
    await writeFile(file, (await readFile(file)).subarray(0, -1));
    assert.equal(openCode(file).read("d.cjs"), undefined);
    assert.deepEqual(openCode(file).read("a.cjs"), ALL.get("a.cjs"));
  });

  it("is as if it were not there for another runtime, also one whose engine has the same version", async (t) => {
    const file = await place(t);
    writeCode(file, ALL, RUNTIME.replace(process.version, "v20.19.0"));
    assert.deepEqual(openCode(file).names, []);
  });
});
