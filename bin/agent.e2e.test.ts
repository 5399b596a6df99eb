import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { ended, freshEnv, runProgram, startOwner } from "./dev/drive.js";

const LISTING = `process.once("exit", () => require("node:fs").writeFileSync(process.env.AGENT_LOADED, Object.keys(require.cache).join("\\n")));`;

test("the version, and a command that the owner runs, load one file of the program", async (t) => {
  const home = await mkdtemp(join(tmpdir(), "agent-launch-"));
  t.after(() => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const listing = join(home, "listing.cjs");
  const list = join(home, "loaded");
  await writeFile(listing, LISTING);
  const agent = resolve("dist/agent.cjs");
  const loaded = async (args: readonly string[]) => {
    const ran = await runProgram(process.execPath, ["--require", listing, agent, ...args], {
      env: freshEnv(home, { AGENT_LOADED: list }),
    });
    assert.equal(ran.code, 0, ran.stderr);
    return (await readFile(list, "utf8")).split("\n").filter((path) => path !== listing);
  };
  assert.deepEqual(await loaded(["--version"]), [agent]);
  const owner = await startOwner(freshEnv(home), 120_000);
  const gone = ended(owner);
  try {
    assert.deepEqual(await loaded(["kanban", "list", "--json"]), [agent]);
  } finally {
    owner.kill("SIGTERM");
    await gone;
  }
});
