import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { bundleProgram } from "../../fixtures/worlds/program.js";
import { testSignal } from "../base/process/signal.js";

const PROCESSES = 20;
const ROUNDS = Number(process.env["AGENT_RACES"] ?? 5);
/** Confirmed writes that a round waits for before it kills the owner. */
const WRITES = 100;

test(`of ${PROCESSES} processes one owns; when it is killed another takes over, ${ROUNDS} times, and no confirmed write is lost`, async (t) => {
  const world = await setup(t);
  for (let n = 0; n < PROCESSES; n++) world.start();
  for (let round = 0; round < ROUNDS; round++) {
    const owner = await world.owners.next();
    await world.writesTo(owner, WRITES);
    await world.kill(owner);
    world.start();
  }
  await world.owners.next();
  const { reigns } = world; // while all are killed, one more may see the home free
  await world.killAll();
  const lines = readFileSync(join(world.dir, "lines"), "utf8").trimEnd().split("\n");
  const there = new Set(lines.map((line) => line.split(" ")[1]));
  assert.deepEqual(world.failures, []);
  assert.deepEqual(
    lines.map((line) => Number(line.split(" ")[0])),
    lines.map((_, at) => at + 1),
    "a number was given twice: two owners wrote",
  );
  assert.deepEqual(
    world.confirmed.filter((word) => !there.has(word)),
    [],
  );
  assert.equal(reigns, ROUNDS + 1);
});

async function setup(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "agent-elect-"));
  const program = await bundleProgram("fixtures/workers/owner-stub.ts");
  const children = new Map<number, ChildProcess>();
  const witness = await startWitness(join(dir, "witness.sock"), children);
  const kill = async (pid: number) => {
    const child = children.get(pid);
    children.delete(pid);
    if (!child) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  const killAll = async () => {
    await Promise.all([...children.keys()].map(kill));
  };
  t.after(async () => {
    await killAll();
    await witness.close();
    program.remove();
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    ...witness,
    dir,
    get reigns() {
      return witness.reigns();
    },
    kill,
    killAll,
    start: () => {
      const child = spawn(process.execPath, [program.file, dir, witness.path], {
        stdio: ["ignore", "inherit", "inherit"],
      });
      assert.ok(child.pid);
      children.set(child.pid, child);
    },
  };
}

/** Hears what every process says of itself. A second owner while the first has not been killed is a failure. */
async function startWitness(path: string, children: ReadonlyMap<number, ChildProcess>) {
  const owners = testSignal<number>();
  const wrote = testSignal<string>();
  const confirmed: string[] = [];
  const failures: string[] = [];
  let reigning: number | undefined;
  let reigns = 0;
  const hear = (line: string) => {
    const [pid = "", what = "", ...rest] = line.split(" ");
    if (what === "owner") {
      if (reigning !== undefined && children.has(reigning)) failures.push(`${pid} owns beside ${reigning}`);
      reigning = Number(pid);
      reigns += 1;
      owners.emit(reigning);
    } else if (what === "wrote") {
      confirmed.push(rest.join(" "));
      wrote.emit(rest.join(" "));
    } else if (what === "failed") failures.push(line);
  };
  const server = createServer((socket) => {
    let left = "";
    socket.setEncoding("utf8");
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: string) => {
      const lines = `${left}${chunk}`.split("\n");
      left = lines.pop() ?? "";
      for (const line of lines) hear(line);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    owners,
    /** Resolves when this owner has confirmed so many more writes: those of the owners before it may be heard of late. */
    writesTo: async (owner: number, count: number) => {
      for (let seen = 0; seen < count; ) if ((await wrote.next()).split("-")[1] === String(owner)) seen += 1;
    },
    confirmed,
    failures,
    reigns: () => reigns,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
