import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { world } from "../../../fixtures/e2e/world.js";
import { fixture } from "../../../fixtures/mcp/world.js";
import { systemSpawner } from "../../base/process/spawn-system.js";

/** The e2e tier sets `AGENT_TEST_SHORT`, empty for its full budget. */
const ROUNDS = process.env["AGENT_TEST_SHORT"] === "" ? 50 : 10;

interface Status {
  readonly servers: readonly { readonly name: string; readonly state: string }[];
}

test("MC10: after owners that were killed again and again no program of a server is left, also of one that does not heed its end", {
  skip: process.platform !== "linux",
}, async (t) => {
  const made = await world(t);
  const counter = join(made.work, "starts");
  writeFileSync(counter, "");
  const server = (...modes: readonly string[]) => ({
    ...fixture("hostile.mjs", `--counter=${counter}`, ...modes),
    start: "eager",
  });
  const servers = { deaf: server("deaf", "children"), heeds: server() };
  const settings = readFileSync(made.home.config, "utf8");
  writeFileSync(made.home.config, `${settings}\nmcp_servers: ${JSON.stringify(servers)}\n`);
  const started = () => {
    const lines = readFileSync(counter, "utf8").split("\n");
    return lines.flatMap((line) => (line === "" ? [] : [Number(line.split(" ")[1])]));
  };
  const isReady = async () => {
    const { out } = await made.run(["mcp", "status", "--json"]);
    const { servers: all = [] } = JSON.parse(out || "{}") as Partial<Status>; // the command says so
    return all.length === 2 && all.every(({ state }) => state === "ready");
  };
  for (let round = 0; round < ROUNDS; round++) {
    const owner = await made.owner();
    await eventually(isReady);
    await owner.end("SIGKILL");
  }
  const before = started();
  assert.equal(before.length, ROUNDS * 2);
  const last = await made.owner();
  await eventually(isReady);
  await eventually(() => before.every((pid) => systemSpawner.members(pid).length === 0));
  await last.end("SIGINT");
  await eventually(() => started().every((pid) => systemSpawner.members(pid).length === 0));
  assert.deepEqual(
    started().flatMap((pid) => systemSpawner.members(pid)),
    [],
  );
});
