import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { createLineage, createRedactor } from "../../safety/redact/redact.js";
import patch from "../file/patch.js";
import readFile from "../file/read-file.js";
import { TOOLS } from "../index.gen.js";
import terminal from "../shell/terminal.js";
import type { AnyTool } from "./define.js";
import { argumentsFor } from "./secrets.js";

const SECRET = "sk-abcdefghijklmnopqrstuvwxyz0123";

function secretBench(t: TestContext) {
  const lineage = createLineage();
  const redactor = createRedactor({ known: () => [], enabled: true, lineage });
  const made = bench(t, { redact: (text) => redactor.text(text), reveal: (text) => lineage.resolve(text) });
  /** The tool as the pipeline calls it. */
  const call = async (
    tool: AnyTool,
    args: Readonly<Record<string, unknown>>,
    write: (args: unknown) => string = JSON.stringify,
  ) => {
    const given = argumentsFor(tool, { id: "c", name: tool.name, arguments: write(args) }, (text) =>
      lineage.resolve(text),
    );
    return given.ok ? redactor.text((await made.run(tool, JSON.parse(given.text))).text) : given.why;
  };
  return { ...made, lineage, call };
}

test("C71: an edit beside a secret keeps the true key, and a number of tokens is no secret", async (t) => {
  const { project, call, lineage } = secretBench(t);
  const path = join(project, "settings");
  writeFileSync(path, `KEY=${SECRET}\nMAX_TOKENS=100\n`);
  const shown = await call(readFile, { path: "settings" });
  assert.match(shown, /1\|KEY=«secret:api_key:1»\\n2\|MAX_TOKENS=100/);
  assert.ok(lineage.issued("«secret:api_key:1»"));
  const changed = await call(patch, {
    path: "settings",
    old_string: "KEY=«secret:api_key:1»",
    new_string: "# new\nKEY=«secret:api_key:1»",
  });
  assert.match(changed, /"success":true/);
  assert.ok(!changed.includes(SECRET));
  assert.equal(readFileSync(path, "utf8"), `# new\nKEY=${SECRET}\nMAX_TOKENS=100\n`);
});

/** JSON as servers write it that escape every character beyond ASCII. */
const writeAscii = (value: unknown) =>
  JSON.stringify(value).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

for (const [server, write] of [
  ["escapes what is not ASCII", writeAscii],
  ["writes the arguments as a JSON text inside a JSON text", (args: unknown) => JSON.stringify(writeAscii(args))],
] as const) {
  test(`a server that ${server} edits beside a secret like any other`, async (t) => {
    const { project, call } = secretBench(t);
    writeFileSync(join(project, "settings"), `KEY=${SECRET}\n`);
    await call(readFile, { path: "settings" });
    const change = {
      path: "settings",
      old_string: "KEY=«secret:api_key:1»",
      new_string: "# new\nKEY=«secret:api_key:1»",
    };
    assert.match(await call(patch, change, write), /"success":true/);
    assert.equal(readFileSync(join(project, "settings"), "utf8"), `# new\nKEY=${SECRET}\n`);
  });

  test(`a server that ${server} cannot hand a secret to a tool that carries text away`, async () => {
    const tools = await Promise.all(TOOLS.map((entry) => entry.load()));
    for (const tool of tools.filter((one) => one.secrets === "refused")) {
      const given = argumentsFor(
        tool,
        { id: "c", name: tool.name, arguments: write({ x: "«secret:api_key:1»" }) },
        (text) => ({
          text,
          used: true,
        }),
      );
      assert.equal(given.ok, false, tool.name);
    }
  });
}

test("C70: a command that shows a key shows its placeholder, and runs with the key", async (t) => {
  const { project, call, asked } = secretBench(t);
  assert.match(await call(terminal, { command: `echo ${SECRET}` }), /"output":"«secret:api_key:1»"/);
  await call(terminal, { command: "printf %s «secret:api_key:1» > out" });
  assert.equal(readFileSync(join(project, "out"), "utf8"), SECRET);
  assert.equal(asked.at(-1)?.command, "printf %s «secret:api_key:1» > out", "the question keeps the placeholder");
});

test("a placeholder whose value was not met since the start is named, and nothing runs", async (t) => {
  const { call, lineage } = secretBench(t);
  lineage.restore({ key: "k", secrets: [{ hash: "x", type: "password", n: 4 }] });
  assert.match(
    await call(terminal, { command: "echo «secret:password:4»" }),
    /«secret:password:4» is not known any more; read the source/,
  );
});

test("tools that carry text away refuse a secret", async () => {
  const tools = await Promise.all(TOOLS.map((entry) => entry.load()));
  const refusing = tools.filter((tool) => tool.secrets === "refused").map((tool) => tool.name);
  for (const name of ["kanban_comment", "kanban_complete", "kanban_create", "kanban_block"])
    assert.ok(refusing.includes(name), name);
  for (const tool of tools.filter((one) => one.secrets === "refused")) {
    const given = argumentsFor(tool, { id: "c", name: tool.name, arguments: '{"x":"«secret:api_key:1»"}' }, (text) => ({
      text,
      used: true,
    }));
    assert.deepEqual(
      [given.ok, "why" in given && given.why.includes("a secret cannot be handed to this tool")],
      [false, true],
      tool.name,
    );
  }
});
