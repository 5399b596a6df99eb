import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { type SimProcess, simSpawner } from "../../../fixtures/ports/spawn.js";
import type { ProcessId } from "../../base/process/spawn.js";
import { anythingLives, endProcesses, MARK, type StopOutcome } from "./stop.js";

const MARKED = { [MARK]: "m1" };

interface Case {
  readonly title: string;
  /** Makes the leader's group what it is at the time of the stop. */
  readonly arrange: (leader: SimProcess) => void;
  readonly ended: StopOutcome;
  readonly leftLiving?: number;
}

const cases: Case[] = [
  {
    title: "a worker that hears SIGTERM ends in its grace",
    arrange: () => undefined,
    ended: { gone: true, attempted: true, sigkill: false },
  },
  {
    title: "grandchildren end with it",
    arrange: (one) => one.fork().fork(),
    ended: { gone: true, attempted: true, sigkill: false },
  },
  {
    title: "a worker that ignores SIGTERM is killed",
    arrange: (one) => {
      one.deaf = true;
    },
    ended: { gone: true, attempted: true, sigkill: true },
  },
  {
    title: "a child that left the group is found by its mark",
    arrange: (one) => {
      one.fork({ session: true }).deaf = true;
    },
    ended: { gone: true, attempted: true, sigkill: true },
  },
  {
    title: "a leader that cannot be killed is not gone",
    arrange: (one) => {
      one.immortal = true;
    },
    ended: { gone: false, attempted: true, sigkill: true },
    leftLiving: 1,
  },
  {
    title: "the rest of a group whose leader is gone ends",
    arrange: (one) => {
      one.fork();
      one.exit(1);
    },
    ended: { gone: true, attempted: true, sigkill: false },
  },
  {
    title: "nothing is signalled when all are gone",
    arrange: (one) => one.exit(0),
    ended: { gone: true, attempted: false, sigkill: false },
  },
  {
    title: "a zombie counts as gone",
    arrange: (one) => {
      one.unreaped = true;
      one.exit(0);
    },
    ended: { gone: true, attempted: false, sigkill: false },
  },
];

for (const { title, arrange, ended, leftLiving } of cases) {
  test(title, async () => {
    const { clock, spawner, leader, target } = await setup();
    arrange(leader);
    const ending = endProcesses({ spawner, clock }, target, 5_000);
    assert.deepEqual(await whileTimePasses(clock, ending), ended);
    assert.equal(spawner.living().length, leftLiving ?? 0);
  });
}

test("a process that got the pid of a worker is not signalled", async () => {
  const { clock, spawner, leader, target } = await setup();
  leader.exit(0);
  const foreign = spawner.foreign(leader.pid);
  foreign.fork();
  assert.deepEqual(await endProcesses({ spawner, clock }, target, 5_000), {
    gone: true,
    attempted: false,
    sigkill: false,
  });
  assert.deepEqual(spawner.signals, []);
  assert.ok(!anythingLives({ spawner, clock }, target));
});

test("a foreign group without its leader is not signalled", async () => {
  const { clock, spawner, leader, target } = await setup();
  leader.exit(0);
  const foreign = spawner.foreign(leader.pid);
  foreign.fork();
  foreign.exit(0);
  await endProcesses({ spawner, clock }, target, 5_000);
  assert.deepEqual(spawner.signals, []);
});

test("after a reboot nothing of an earlier start of the system is signalled", async () => {
  const { clock, spawner, leader, target } = await setup();
  spawner.reboot();
  spawner.foreign(leader.pid);
  await endProcesses({ spawner, clock }, target, 5_000);
  assert.deepEqual(spawner.signals, []);
});

test("a descendant that left the group and lost the mark is found below its leader, as long as that lives", async () => {
  const { clock, spawner, leader, target } = await setup();
  const child = leader.fork();
  const lost = child.fork({ session: true, env: {} });
  lost.deaf = true;
  const stranger = spawner.foreign(77);
  assert.deepEqual(await whileTimePasses(clock, endProcesses({ spawner, clock }, target, 5_000)), {
    gone: true,
    attempted: true,
    sigkill: true,
  });
  assert.deepEqual(
    spawner.living().map(({ pid }) => pid),
    [stranger.pid],
  );
});

test("of an outside worker only the named process is signalled", async () => {
  const { clock, spawner, leader } = await setup();
  const child = leader.fork();
  const target = { leader: identity(spawner.boot, leader), mark: undefined };
  assert.ok((await endProcesses({ spawner, clock }, target, 5_000)).gone);
  assert.equal(child.state, "running");
  assert.deepEqual(spawner.signals, [{ pid: leader.pid, name: "SIGTERM" }]);
});

async function setup() {
  const clock = manualClock();
  const spawner = simSpawner(clock);
  await spawner.spawn({ file: "worker", args: [], cwd: "/", env: MARKED });
  const [leader] = spawner.living();
  assert.ok(leader);
  return { clock, spawner, leader, target: { leader: identity(spawner.boot, leader), mark: "m1" } };
}

function identity(boot: string, one: SimProcess): ProcessId {
  return { pid: one.pid, start: one.start, boot };
}

/** Lets every wait of `work` come to its end. */
async function whileTimePasses<T>(clock: ReturnType<typeof manualClock>, work: Promise<T>): Promise<T> {
  let done = false;
  const result = work.finally(() => {
    done = true;
  });
  while (!done) {
    clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return result;
}
