import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { SimDisk } from "../../../fixtures/ports/disk.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { STATE_SPEC } from "../../../fixtures/sim/gateway-world.js";
import { openStore } from "../../../storage/sqljs/store-open.js";
import { silentLog } from "../../base/log/log.js";
import { testSignal } from "../../base/process/signal.js";
import type { MeetingJob, SummaryOutcome } from "../../contracts/gateway/meetings.js";
import type { MeetingPorts } from "./meeting-ports.js";
import { createMeetings } from "./meetings.js";

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
  const delivered = new Set<string>();
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
      const outcome = outcomes.shift() ?? { result: "sent" };
      if (outcome.result === "sent") delivered.add(meeting);
      return outcome;
    },
    delivered: async (meeting) => delivered.has(meeting),
  };
  const settled = testSignal<MeetingJob>();
  const meetings = createMeetings({ store, clock, ids: countingIds(2), log: silentLog, ports, signals: { settled } });
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
    "users/u/onlineMeetings/m%201/transcripts/t1",
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
  const graph = {
    m: { subject: "M" },
    "m/transcripts": { value: [] },
    "m/recordings": { value: [{ id: "r1" }, { id: "r2" }] },
  };
  const { meetings, asked, settled } = await world(t, { graph });
  await meetings.take([{ ...NOTICE, resource: "m" }]);
  assert.equal((await settled.next()).state, "completed");
  assert.ok(asked.includes("m/recordings/r2/content"));
  assert.ok(asked.includes("deliver m: M: heard in /r.mp4"));
});

test("what fails is tried again after 5, 15 and 60 minutes from where it was, and then has failed", async (t) => {
  const refused = { result: "refused", error: "no" } as const;
  const { meetings, clock, asked, settled } = await world(t, {
    graph: SUBJECT,
    outcomes: [refused, refused, refused, refused],
  });
  await meetings.take([NOTICE]);
  for (const minutes of [5, 15, 60]) {
    const job = await settled.next();
    assert.deepEqual(
      [job.state, job.step, job.next_at - clock.now()],
      ["retry_scheduled", "sending", minutes * 60_000],
    );
    await clock.waits();
    clock.advance(minutes * 60_000);
  }
  assert.equal((await settled.next()).state, "failed");
  assert.equal(asked.filter((one) => one.startsWith("users")).length, 3);
});

test("a summary of which delivery unknown is not sent again", async (t) => {
  const { meetings, settled } = await world(t, { graph: SUBJECT, outcomes: [{ result: "unknown", error: "cut" }] });
  await meetings.take([NOTICE]);
  const { state, error } = await settled.next();
  assert.equal(state, "failed");
  assert.match(error ?? "", /delivery of the summary is unknown/);
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

const deliveries = (asked: readonly string[]) => asked.filter((one) => one.startsWith("deliver"));
const TWICE = {
  "users/u/onlineMeetings/m": { id: "M", subject: "Weekly" },
  "users/u/onlineMeetings/m/transcripts/t1": { id: "t1", callId: "monday" },
  "users/u/onlineMeetings/m/transcripts/t2": { id: "t2", callId: "tuesday" },
  "users/u/onlineMeetings/m/recordings/r1": { id: "r1", callId: "monday" },
  "users/u/onlineMeetings/m/transcripts": {
    value: [
      { id: "t2", callId: "tuesday", createdDateTime: "2026-01-02T00:00:00Z" },
      { id: "t1", callId: "monday", createdDateTime: "2026-01-01T00:00:00Z" },
    ],
  },
  "communications/onlineMeetings/m": { id: "M", subject: "Weekly" },
};
const told = (resource: string, n: string) => ({ ...NOTICE, eventId: n.repeat(64), resource });

test("a transcript and a recording of one meeting are two notifications and one summary, whatever paths lead to it", async (t) => {
  const { meetings, asked, settled } = await world(t, {
    graph: { ...TWICE, "communications/onlineMeetings/m/transcripts/t1": { id: "t1", callId: "monday" } },
  });
  await meetings.take([
    told("users('u')/onlineMeetings('m')/transcripts('t1')", "a"),
    told("users/u/onlineMeetings/m/recordings/r1", "b"),
    told("communications/onlineMeetings('m')/transcripts('t1')", "c"),
  ]);
  for (const _ of ["a", "b", "c"]) assert.equal((await settled.next()).state, "completed");
  assert.deepEqual(deliveries(asked), ["deliver M#monday: Weekly: WEBVTT words"]);
  assert.equal(
    asked.some((one) => one.includes("recordings/r1/content")),
    false,
  );
});

test("of a meeting that repeats each time has its own summary", async (t) => {
  const { meetings, asked, settled } = await world(t, { graph: TWICE });
  await meetings.take([
    told("users/u/onlineMeetings/m/transcripts/t1", "a"),
    told("users/u/onlineMeetings/m/transcripts/t2", "b"),
  ]);
  for (const _ of ["a", "b"]) await settled.next();
  assert.equal(deliveries(asked).length, 2);
});

test("a meeting that was delivered is delivered again only when that is asked for, and then once", async (t) => {
  const { meetings, asked } = await world(t, { graph: TWICE });
  const { id } = await meetings.add("users/u/onlineMeetings/m");
  assert.equal((await meetings.run(id)).state, "completed");
  assert.equal((await meetings.run(id)).state, "completed");
  assert.deepEqual(deliveries(asked), ["deliver M#tuesday: Weekly: WEBVTT words"]);
  assert.equal((await meetings.run(id, { force: true })).state, "completed");
  assert.equal((await meetings.run(id)).state, "completed");
  assert.equal(deliveries(asked).length, 2);
});

test("one that is run by hand while the gateway works on it is not worked on twice", async (t) => {
  const { meetings, asked } = await world(t, { graph: TWICE });
  await meetings.take([told("users/u/onlineMeetings/m/transcripts/t1", "a")]);
  const [job] = await meetings.list();
  await Promise.all([meetings.run(job?.id ?? ""), meetings.run(job?.id ?? "")]);
  assert.equal(deliveries(asked).length, 1);
});

for (const resource of [
  "users/u/onlineMeetings/m/transcripts/..",
  "users/%2e%2E/onlineMeetings/m",
  "users//m",
  "users/u?x=/transcripts/t",
  "users/u#x",
]) {
  test(`nothing is asked of the graph for ${resource}`, async (t) => {
    const { meetings, asked, settled } = await world(t);
    await meetings.take([{ ...NOTICE, resource }]);
    assert.equal((await settled.next()).state, "failed");
    assert.deepEqual(asked, []);
  });
}
