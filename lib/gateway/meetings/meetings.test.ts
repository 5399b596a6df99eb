import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/sim/clock.js";
import { SimDisk } from "../../../fixtures/sim/disk.js";
import { STATE_SPEC } from "../../../fixtures/sim/gateway-world.js";
import { countingIds } from "../../../fixtures/sim/ids.js";
import { openStore } from "../../../storage/open.js";
import { silentLog } from "../../base/log.js";
import { testSignal } from "../../base/signal.js";
import type { MeetingJob, SummaryOutcome } from "../../proto/meetings.js";
import { createMeetings } from "./meetings.js";
import type { MeetingPorts } from "./steps.js";

const NOTICE = {
  eventId: "e".repeat(64),
  subscription: "s1",
  change: "created",
  resource: "users('u')/onlineMeetings('m 1')/transcripts('t1')",
};

interface Fakes {
  readonly graph?: Record<string, unknown>;
  readonly outcomes?: SummaryOutcome[];
  readonly disk?: SimDisk;
}

async function world(t: TestContext, { graph = {}, outcomes = [], disk = new SimDisk() }: Fakes = {}) {
  const clock = manualClock();
  const store = await openStore(STATE_SPEC, { disk, clock, ids: countingIds(1), host: "inline", log: silentLog });
  const asked: string[] = [];
  const ports: MeetingPorts = {
    get: async (path) => {
      asked.push(path);
      return graph[path];
    },
    text: async (path) => {
      asked.push(path);
      return "WEBVTT words";
    },
    download: async (path) => {
      asked.push(path);
      return "/r.mp4";
    },
    transcribe: async (path) => `heard in ${path}`,
    summarise: async ({ transcript }) => ({ summary: transcript, decisions: [], actions: [], risks: [] }),
    deliver: async ({ title, summary, meeting }) => {
      asked.push(`deliver ${meeting}: ${title}: ${summary}`);
      return outcomes.shift() ?? { result: "sent" };
    },
  };
  const settled = testSignal<MeetingJob>();
  const meetings = createMeetings({ store, clock, log: silentLog, ports, signals: { settled } });
  await meetings.service.start();
  const stop = async () => {
    await meetings.service.stop(0);
    await store.close();
  };
  t.after(() => stop().catch(() => undefined));
  return { meetings, clock, asked, settled, disk, stop };
}

const SUBJECT = { "users/u/onlineMeetings/m%201": { subject: "Weekly" } };

test("a transcript is fetched, summarised and delivered, and the recording is left alone", async (t) => {
  const { meetings, asked, settled } = await world(t, { graph: SUBJECT });
  assert.equal(await meetings.take([NOTICE]), "stored");
  assert.equal((await settled.next()).state, "completed");
  assert.deepEqual(asked, [
    "users/u/onlineMeetings/m%201",
    "users/u/onlineMeetings/m%201/transcripts/t1/content?$format=text/vtt",
    "deliver users/u/onlineMeetings/m%201: Weekly: WEBVTT words",
  ]);
});

test("the same notification again is no second job, also when its job is over", async (t) => {
  const { meetings, asked, settled } = await world(t, { graph: SUBJECT });
  await meetings.take([NOTICE, NOTICE]);
  await settled.next();
  assert.equal(await meetings.take([NOTICE]), "stored");
  assert.equal((await meetings.list()).length, 1);
  assert.equal(asked.filter((one) => one.startsWith("deliver")).length, 1);
});

test("where there is no transcript the recording is fetched and transcribed", async (t) => {
  const graph = { m: { subject: "M" }, "m/transcripts": { value: [] }, "m/recordings": { value: [{ id: "r1" }, { id: "r2" }] } };
  const { meetings, asked, settled } = await world(t, { graph });
  await meetings.take([{ ...NOTICE, resource: "m" }]);
  assert.equal((await settled.next()).state, "completed");
  assert.ok(asked.includes("m/recordings/r2/content"));
  assert.ok(asked.includes("deliver m: M: heard in /r.mp4"));
});

test("what fails is tried again after 5, 15 and 60 minutes from where it was, and then has failed", async (t) => {
  const refused = { result: "refused", error: "no" } as const;
  const { meetings, clock, asked, settled } = await world(t, { graph: SUBJECT, outcomes: [refused, refused, refused, refused] });
  await meetings.take([NOTICE]);
  for (const minutes of [5, 15, 60]) {
    const job = await settled.next();
    assert.deepEqual([job.state, job.step, job.next_at - clock.now()], ["retry_scheduled", "sending", minutes * 60_000]);
    await clock.waits();
    clock.advance(minutes * 60_000);
  }
  assert.equal((await settled.next()).state, "failed");
  assert.equal(asked.filter((one) => one.startsWith("users")).length, 2);
});

test("a summary of which nobody knows whether it arrived is not sent again", async (t) => {
  const { meetings, settled } = await world(t, { graph: SUBJECT, outcomes: [{ result: "unknown", error: "cut" }] });
  await meetings.take([NOTICE]);
  const { state, error } = await settled.next();
  assert.equal(state, "failed");
  assert.match(error ?? "", /nobody knows/);
});

test("after a restart a job goes on behind its last finished step", async (t) => {
  const first = await world(t, { graph: SUBJECT, outcomes: [{ result: "refused", error: "no" }] });
  await first.meetings.take([NOTICE]);
  const { id } = await first.settled.next();
  await first.stop();
  const second = await world(t, { disk: first.disk });
  await second.meetings.run(id);
  assert.equal((await second.settled.next()).state, "completed");
  assert.deepEqual(second.asked, ["deliver users/u/onlineMeetings/m%201: Weekly: WEBVTT words"]);
});

test("a notification that leads elsewhere has failed at once", async (t) => {
  const { meetings, asked, settled } = await world(t);
  await meetings.take([{ ...NOTICE, resource: "../users/transcripts" }]);
  assert.equal((await settled.next()).state, "failed");
  assert.deepEqual(asked, []);
});
