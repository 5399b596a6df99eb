import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { start } from "../../fixtures/e2e/process.js";
import { bundleProgram } from "../../fixtures/worlds/program.js";

/** The public scenarios need a newer runtime than the product: one of those that `make smoke` has fetched. */
const RUNTIMES = "dist/.runtimes";
const runtime = (existsSync(RUNTIMES) ? readdirSync(RUNTIMES) : [])
  .filter((version) => Number(version.split(".")[0]) >= 22)
  .map((version) => resolve(RUNTIMES, version, "node"))
  .find((file) => existsSync(file));

/** Scenarios that do not pass whole, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "auth/basic-cimd":
    "the product has no public address where a client metadata document could be published: it registers",
  "sse-retry": "judges by the clock of a loaded machine; the reconnection itself passes",
};

const SUITES = ["core"] as const;

for (const suite of SUITES) {
  test(`every public client scenario of the suite ${suite} passes, or is listed with its reason`, {
    skip: runtime === undefined ? "no runtime of version 22 or newer; make smoke fetches one" : false,
  }, async (t) => {
    const client = await bundleProgram("fixtures/programs/mcp-conformance-client.ts");
    t.after(() => client.remove());
    const cli = join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");
    const command = `${process.execPath} ${client.file}`;
    const args = [cli, "client", "--command", command, "--suite", suite, "--timeout", "60000"];
    const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };
    const { out, err } = await start(runtime ?? "", args, { env, cwd: process.cwd() }).ended;
    const rows = [...`${out}\n${err}`.matchAll(/^([✓✗]) (\S+): (.*)$/gm)];
    assert.ok(rows.length >= 15, `${out}${err}`);
    process.stdout.write(`${[...rows.map(([row]) => row), /Total: .*/.exec(`${out}${err}`)?.[0]].join("\n")}\n`);
    const wrong = rows.flatMap(([row, mark, name = ""]) => (mark === "✗" && !(name in EXCEPTIONS) ? [row] : []));
    assert.deepEqual(wrong, []);
  });
}
