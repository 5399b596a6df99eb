import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { systemClock } from "../time/clock.js";
import { systemProcessFacts } from "./process-facts.js";
import { systemSpawner } from "./spawn-system.js";

async function busy(t: TestContext) {
  const child = spawn(process.execPath, ["-e", "console.log(1); for (;;);"], { stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const id = systemSpawner.identify(child.pid ?? 0);
  assert.ok(id);
  return { child, id };
}

const TICKS = 10;

/** Processor time of a process so far. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

test("a process that works shows what it uses", { skip: process.platform !== "linux" }, async (t) => {
  const { id } = await busy(t);
  // A second of this clock goes by while the process gets 100 ms of the processor, however long others keep it.
  let mono = 0;
  const sleep = async () => {
    const used = ticksOf(id.pid) + TICKS;
    while (ticksOf(id.pid) < used) await new Promise((resolve) => setImmediate(resolve));
    mono = 1_000;
  };
  const facts = await systemProcessFacts(id, { ...systemClock, mono: () => mono, sleep });
  assert.ok(facts);
  assert.ok((facts.cpu_percent ?? 0) >= 10, `${facts.cpu_percent}`);
  assert.ok((facts.memory_rss_bytes ?? 0) > 10_000_000);
  assert.ok((facts.num_threads ?? 0) >= 1 && (facts.num_fds ?? 0) >= 3);
  assert.ok(Math.abs((facts.create_time ?? 0) - systemClock.now() / 1000) < 30);
  assert.deepEqual([facts.status, facts.cmdline[1]], ["running", "-e"]);
});

test("a process that is gone, and one that has the pid of another, show nothing", async (t) => {
  const { child, id } = await busy(t);
  assert.equal(await systemProcessFacts({ ...id, start: "1" }, systemClock), undefined);
  assert.equal(await systemProcessFacts({ ...id, boot: "other" }, systemClock), undefined);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(await systemProcessFacts(id, systemClock), undefined);
});
