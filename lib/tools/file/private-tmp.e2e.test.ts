import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { programOnPath } from "../../base/process/program-path.js";
import terminal from "../shell/terminal.js";
import readFile from "./read-file.js";
import searchFiles from "./search-files.js";
import writeFile from "./write-file.js";

const skip = programOnPath("bwrap", process.env["PATH"]) === undefined ? "bubblewrap is not installed" : false;

test("file tools and commands see the same /tmp, which is not that of this machine", { skip }, async (t) => {
  const { json, run, context } = bench(t, { cages: true });
  await context.ports.cages?.status();
  const name = `agent-private-${process.pid}`;
  await json(writeFile, { path: `/tmp/${name}/a.txt`, content: "one\n" });
  assert.equal(
    (await json(terminal, { command: `cat /tmp/${name}/a.txt; echo two >/var/tmp/${name}/b.db` }))["output"],
    "one",
  );
  assert.match((await run(readFile, { path: `/tmp/${name}/b.db` })).text, /two/);
  assert.match((await run(searchFiles, { pattern: "one", path: `/tmp/${name}` })).text, /a\.txt/);
  assert.equal(existsSync(`/tmp/${name}`), false);
  const moved = await json(terminal, { command: `cd /tmp/${name} && pwd` });
  assert.deepEqual([moved["output"], moved["cwd"]], [`/tmp/${name}`, `/tmp/${name}`]);
  assert.equal((await json(terminal, { command: "cat a.txt" }))["output"], "one");
  assert.match((await run(readFile, { path: "a.txt" })).text, /one/);
});

test("a link in the private /tmp that leads to /tmp stays in the private one", { skip }, async (t) => {
  const { json, run, context } = bench(t, { cages: true });
  await context.ports.cages?.status();
  const outside = mkdtempSync("/tmp/agent-real-");
  t.after(() => rmSync(outside, { recursive: true }));
  writeFileSync(join(outside, "secret"), "decoy\n");
  await json(terminal, { command: `ln -s ${outside} /tmp/link; ln -s ${outside}/secret /tmp/file; true` });
  assert.doesNotMatch((await run(readFile, { path: "/tmp/link/secret" })).text, /decoy/);
  assert.doesNotMatch((await run(readFile, { path: "/tmp/file" })).text, /decoy/);
  await json(writeFile, { path: "/tmp/file", content: "changed\n" });
  assert.equal(readFileSync(join(outside, "secret"), "utf8"), "decoy\n");
});
