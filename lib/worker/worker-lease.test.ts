import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { createLease } from "./worker-lease.js";

interface Case {
  readonly title: string;
  readonly run: (at: ReturnType<typeof setup>) => void;
  readonly ended: boolean;
}

const cases: Case[] = [
  {
    title: "a worker whose lease ends with no owner stops",
    run: ({ clock, lease }) => {
      lease.lost();
      clock.advance(60_000);
    },
    ended: true,
  },
  {
    title: "a worker waits for an owner as long as its lease lasts",
    run: ({ clock, lease }) => {
      lease.lost();
      clock.advance(59_999);
    },
    ended: false,
  },
  {
    title: "with its owner there a worker goes on, however old its last heartbeat is",
    run: ({ clock }) => clock.advance(10_000_000),
    ended: false,
  },
  {
    title: "the next owner keeps a worker that it met in time",
    run: ({ clock, lease }) => {
      lease.lost();
      clock.advance(59_000);
      lease.met();
      clock.advance(10_000_000);
    },
    ended: false,
  },
  {
    title: "the lease counts from the last accepted heartbeat, from when it was sent",
    run: ({ clock, lease }) => {
      clock.advance(50_000);
      lease.accepted(clock.mono() - 5_000, 60_000);
      lease.lost();
      clock.advance(54_999);
    },
    ended: false,
  },
  {
    title: "an owner that has kept a silent worker gets 10 s to come back",
    run: ({ clock, lease }) => {
      clock.advance(500_000);
      lease.lost();
      clock.advance(9_999);
    },
    ended: false,
  },
  {
    title: "nobody came back to a silent worker",
    run: ({ clock, lease }) => {
      clock.advance(500_000);
      lease.lost();
      clock.advance(10_000);
    },
    ended: true,
  },
  {
    title: "a wall clock that jumps a day changes nothing",
    run: ({ clock, lease }) => {
      lease.lost();
      clock.jumpWall(86_400_000);
      clock.advance(1_000);
    },
    ended: false,
  },
];

for (const { title, run, ended } of cases) {
  test(title, () => {
    const world = setup();
    run(world);
    assert.equal(world.ended(), ended);
  });
}

function setup() {
  const clock = manualClock();
  let ends = 0;
  const lease = createLease(clock, 60_000, () => {
    ends += 1;
  });
  return { clock, lease, ended: () => ends > 0 };
}
