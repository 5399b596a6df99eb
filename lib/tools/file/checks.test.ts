import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Bench, bench } from "../../../fixtures/worlds/tool-context.js";
import type { DiagnosticsPort, PlannedEdit } from "../../contracts/owner/language-servers.js";
import type { AnyTool } from "../core/define.js";
import patch from "./patch.js";
import writeFile from "./write-file.js";

interface Played {
  readonly made: Bench;
  readonly watched: PlannedEdit[];
  readonly told: ReadonlyMap<string, string | undefined>[];
  call(tool: AnyTool, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Record<string, unknown>>;
}

/** A bench whose language server says "broken", after `meanwhile` was done while the tool waited for it. */
function played(t: TestContext, meanwhile: (project: string) => void = () => undefined): Played {
  const made = bench(t);
  const watched: PlannedEdit[] = [];
  const told: ReadonlyMap<string, string | undefined>[] = [];
  const diagnostics: DiagnosticsPort = {
    watch: async (edit) => {
      watched.push(edit);
      meanwhile(made.project);
      return {
        covers: () => true,
        introduced: async (after) => {
          told.push(after);
          return "broken";
        },
      };
    },
  };
  const ports = { ...made.context.ports, diagnostics };
  return {
    made,
    watched,
    told,
    call: async (tool, args, signal = made.context.signal) =>
      JSON.parse((await made.run(tool, args, { ports, signal })).text),
  };
}

test("a write tells what the servers say, and they are told both texts", async (t) => {
  const { made, call, watched, told } = played(t);
  const path = join(made.project, "a.ts");
  writeFileSync(path, "one\r\ntwo\r\n");
  const result = await call(writeFile, { path: "a.ts", content: "one\n2\n" });
  assert.equal(result["lsp_diagnostics"], "broken");
  assert.deepEqual(watched[0]?.files, [{ path, before: "one\ntwo\n" }]);
  assert.deepEqual(told, [new Map([[path, "one\n2\n"]])]);
});

test("servers are not asked about a text that is wrong by its syntax", async (t) => {
  const { call, told } = played(t);
  const result = await call(writeFile, { path: "a.json", content: "{" });
  assert.deepEqual(
    [Reflect.get(result["lint"] ?? {}, "status"), result["lsp_diagnostics"], told.length],
    ["error", undefined, 0],
  );
});

test("a patch of several files asks once, with what is gone as well", async (t) => {
  const { made, call, told } = played(t);
  writeFileSync(join(made.project, "a.ts"), "a\n");
  writeFileSync(join(made.project, "old.ts"), "old\n");
  const text = "*** Update File: a.ts\n-a\n+b\n*** Delete File: old.ts\n*** Add File: new.ts\n+new\n";
  const result = await call(patch, { mode: "patch", patch: text });
  assert.equal(result["lsp_diagnostics"], "broken", JSON.stringify(result));
  const expected = { "a.ts": "b\n", "old.ts": undefined, "new.ts": "new\n" };
  assert.deepEqual(told, [new Map(Object.entries(expected).map(([name, after]) => [join(made.project, name), after]))]);
});

const rewrites: [title: string, tool: AnyTool, args: Readonly<Record<string, unknown>>][] = [
  ["replacing", patch, { path: "a.ts", old_string: "two", new_string: "2" }],
  ["a patch text", patch, { mode: "patch", patch: "*** Update File: a.ts\n-two\n+2\n" }],
];

for (const [title, tool, args] of rewrites) {
  test(`what someone else wrote while the servers were waited for survives ${title}`, async (t) => {
    const { made, call } = played(t, (project) => writeFileSync(join(project, "a.ts"), "theirs\none\ntwo\n"));
    writeFileSync(join(made.project, "a.ts"), "one\ntwo\n");
    assert.equal((await call(tool, args))["success"], true);
    assert.equal(readFileSync(join(made.project, "a.ts"), "utf8"), "theirs\none\n2\n");
  });
}

test("an interrupt while the servers are waited for leaves the file as it is", async (t) => {
  const control = new AbortController();
  const { made, call } = played(t, () => control.abort(new Error("interrupt")));
  writeFileSync(join(made.project, "a.ts"), "one\n");
  for (const [tool, args] of [
    [writeFile, { path: "a.ts", content: "x" }],
    [patch, { path: "a.ts", old_string: "one", new_string: "2" }],
  ] as const)
    await assert.rejects(call(tool, args, control.signal), /interrupt/);
  assert.equal(readFileSync(join(made.project, "a.ts"), "utf8"), "one\n");
});

test("a syntax error in Python is its line, its column and its message, without a trace of the checker", async (t) => {
  const { json } = bench(t);
  const { lint } = await json(writeFile, { path: "a.py", content: "x = 1\ndef b(:\n" });
  assert.match(JSON.stringify(lint), /by this edit:\\nline 2, column \d+: SyntaxError: [^"]*\\ndef b\(:"/);
});
