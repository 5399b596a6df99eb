import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { programOnPath } from "../../base/process/program-path.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import { createCage } from "./cage.js";
import { NONE_MADE } from "./made.js";
import { planCage } from "./plan.js";
import { makeEmpties } from "./probe.js";
import { tryCage } from "./trial.js";

const bwrap = programOnPath("bwrap", process.env["PATH"]) ?? "";
const skip = bwrap === "" ? "bubblewrap is not installed" : false;

test("doctor's trial fails at everything in the cage, and finds each way that is open without it", {
  skip,
}, async (t) => {
  const base = mkdtempSync("/var/tmp/agent-trial-");
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const user = join(base, "user");
  const cwd = join(base, "project");
  const tmp = join(base, "tmp");
  const home = layOutHome(join(user, ".agent"));
  for (const dir of [cwd, tmp, home.runDir]) mkdirSync(dir, { recursive: true });
  writeFileSync(home.env, "SECRET=decoy\n");
  const server = createServer((socket) => socket.end()).listen(home.socket);
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  const env = { PATH: process.env["PATH"] ?? "", HOME: user };
  const plan = planCage(
    { directory: cwd, lineage: "s_1", env },
    { home, tmp, writable: [], network: "host", mayRead: () => false, made: NONE_MADE },
  );
  const cage = createCage(plan, { on: true, program: bwrap }, makeEmpties(join(home.runDir, "cage")));
  const place = { userHome: user, secret: home.env, socket: home.socket, pid: process.pid, cwd };
  const ports = { spawner: systemSpawner, clock: systemClock };
  const inside = await tryCage(ports, (spec) => cage.wrap(spec), place);
  assert.ok(typeof inside !== "string", String(inside));
  assert.deepEqual(
    inside.map(({ held }) => held),
    [true, true, true, true],
  );
  const free = await tryCage(ports, (spec) => spec, { ...place, pid: process.pid });
  assert.ok(typeof free !== "string", String(free));
  const open = free.filter(({ held }) => !held).map(({ what }) => what);
  assert.ok(
    open.includes("a write to the home") &&
      open.includes("the read of a secret") &&
      open.includes("a connection to its socket"),
  );
  assert.ok(!existsSync(join(user, `.agent-cage-trial-${process.pid}`)));
});
