import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { start } from "../../../fixtures/e2e/process.js";
import { proves } from "../../../fixtures/requirements.js";
import { startRecordsHost } from "../../../fixtures/servers/records/host.js";
import { distFile } from "../../base/fs/dist.js";

test("an optional skill is installed by one command, and its helpers run from the home", async (t) => {
  proves(t, "skills.optional");
  const dir = await mkdtemp(join(tmpdir(), "agent-optional-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const home = join(dir, "home");
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, AGENT_HOME: home };
  const run = (file: string, ...args: readonly string[]) =>
    start(process.execPath, [file, ...args], { env, cwd: dir }).ended;
  for (const [name, path] of [
    ["public-records", "research/public-records"],
    ["tunnel", "devops/tunnel"],
  ] as const) {
    const installed = await run(distFile("agent.cjs"), "skills", "install", `official/${name}`, "--yes");
    assert.equal(installed.code, 0, installed.err);
    assert.ok(installed.out.includes(`skills/${path}`), installed.out);
  }
  const skills = join(home, "skills");
  const host = await startRecordsHost(t);
  const fetcher = join(skills, "research/public-records/scripts/fetch-gdelt.mjs");
  const ran = await run(fetcher, "--query", "acme", "--out", "news.csv", "--base-url", host.url);
  assert.equal(ran.code, 0, ran.err);
  assert.match(await readFile(join(dir, "news.csv"), "utf8"), /^title,url,/);
  assert.match((await run(join(skills, "devops/tunnel/scripts/tunnel.mjs"), "status")).out, /^no tunnels$/m);
});
