import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunId } from "../../base/units.js";
import type { OpenRun } from "../core/kernel.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import { judgeOpenRun, type OpenRunVerdict, observe, type WorkerFacts } from "./supervise-judge.js";

const NOW = 1_000_000;
const TTL = 900;
const SETTINGS: DispatchSettings = {
  intervalMs: 60_000,
  defaultAssignee: undefined,
  orchestrator: undefined,
  externalAssignees: [],
  maxInProgress: 4,
  maxPerProfile: Number.POSITIVE_INFINITY,
  heartbeatStaleSeconds: 3600,
  staleTimeoutSeconds: 14_400,
  killGraceMs: 5_000,
  workerEnv: [],
  logMaxBytes: 1 << 21,
  logBackups: 1,
};

interface Row {
  readonly title: string;
  readonly run?: Partial<OpenRun>;
  readonly facts?: Partial<WorkerFacts>;
  readonly settings?: Partial<DispatchSettings>;
  readonly verdict: OpenRunVerdict;
}

const rows: Row[] = [
  { title: "a live worker within its lease is left alone", verdict: { do: "nothing" } },
  { title: "a live worker whose lease ran out is kept", run: { claim_expires: NOW }, verdict: { do: "extend" } },
  {
    title: "a live worker whose lease ran out and whose heartbeat is old loses its task",
    run: { claim_expires: NOW, last_heartbeat_at: NOW - 3601, started_at: NOW - 3700 },
    verdict: { do: "stop", observed: { how: "lease_expired" } },
  },
  {
    title: "a heartbeat of exactly the limit is fresh",
    run: { claim_expires: NOW, last_heartbeat_at: NOW - 3600 },
    verdict: { do: "extend" },
  },
  {
    title: "an outside claim without a process lasts as long as its lease",
    run: { worker_pid: null, claim_expires: NOW },
    facts: { alive: false },
    verdict: { do: "stop", observed: { how: "lease_expired" } },
  },
  {
    title: "an outside claim within its lease is left alone",
    run: { worker_pid: null },
    facts: { alive: false },
    verdict: { do: "nothing" },
  },
  {
    title: "a long run without heartbeats is stale",
    run: { started_at: NOW - 14_401, last_heartbeat_at: NOW - 3601 },
    verdict: { do: "stop", observed: { how: "stale", timeoutSeconds: 14_400 } },
  },
  { title: "a long run with heartbeats is not stale", run: { started_at: NOW - 20_000 }, verdict: { do: "nothing" } },
  {
    title: "0 switches staleness off",
    run: { started_at: NOW - 14_401, last_heartbeat_at: NOW - 3601 },
    settings: { staleTimeoutSeconds: 0 },
    verdict: { do: "nothing" },
  },
  {
    title: "a run at its runtime is stopped",
    run: { started_at: NOW - 60, max_runtime_seconds: 60 },
    verdict: { do: "stop", observed: { how: "max_runtime", limitSeconds: 60 } },
  },
  {
    title: "a run one second below its runtime goes on",
    run: { started_at: NOW - 59, max_runtime_seconds: 60 },
    verdict: { do: "nothing" },
  },
  {
    title: "the runtime holds although the lease ran out too",
    run: { started_at: NOW - 60, max_runtime_seconds: 60, claim_expires: NOW },
    verdict: { do: "stop", observed: { how: "max_runtime", limitSeconds: 60 } },
  },
  {
    title: "a worker that is gone is settled before anything else",
    run: { claim_expires: NOW },
    facts: { alive: false, exit: { code: 75, signal: null, ended_at: NOW } },
    verdict: { do: "settle", observed: { how: "exit", code: 75 } },
  },
  {
    title: "a worker of two minutes is not stale because the clock was set two years ahead before its owner came",
    run: { started_at: NOW - 63_072_000, last_heartbeat_at: NOW - 63_072_000, claim_expires: NOW + 1 },
    facts: { lived: 120_000 },
    verdict: { do: "nothing" },
  },
  {
    title: "its runtime counts from its true start",
    run: { started_at: NOW - 63_072_000, max_runtime_seconds: 60, claim_expires: NOW + 1 },
    facts: { lived: 59_000 },
    verdict: { do: "nothing" },
  },
  {
    title: "a clock that was set two years back does not give a run two years more",
    run: { started_at: NOW + 63_072_000, last_heartbeat_at: NOW + 63_072_000, max_runtime_seconds: 60 },
    facts: { lived: 61_000 },
    verdict: { do: "stop", observed: { how: "max_runtime", limitSeconds: 60 } },
  },
  {
    title: "a silent worker whose last heartbeat is from the future is stale by its own age",
    run: { started_at: NOW + 63_072_000, last_heartbeat_at: NOW + 63_072_000 },
    facts: { lived: 14_401_000 },
    verdict: { do: "stop", observed: { how: "stale", timeoutSeconds: 14_400 } },
  },
  {
    title: "a workspace that took ten minutes is part of the run's time",
    run: { started_at: NOW - 660, max_runtime_seconds: 600 },
    facts: { lived: 60_000 },
    verdict: { do: "stop", observed: { how: "max_runtime", limitSeconds: 600 } },
  },
  {
    title: "a run of another host within one more TTL is left alone",
    run: { claim_expires: NOW - TTL + 1 },
    facts: { local: false, alive: false },
    verdict: { do: "nothing" },
  },
  {
    title: "a run of another host is released after one more TTL",
    run: { claim_expires: NOW - TTL },
    facts: { local: false, alive: false },
    verdict: { do: "settle", observed: { how: "lease_expired" } },
  },
];

for (const { title, run, facts, settings, verdict } of rows) {
  test(title, () =>
    assert.deepEqual(judgeOpenRun(runOf(run), factsOf(facts), { ...SETTINGS, ...settings }, TTL), verdict),
  );
}

const worker = { pid: 7, start: "70", boot: "b" };
const ends = [
  { title: "exit code 0 is a code", exit: { code: 0, signal: null, ended_at: 0 }, observed: { how: "exit", code: 0 } },
  {
    title: "a signal",
    exit: { code: null, signal: "SIGKILL", ended_at: 0 },
    observed: { how: "signal", signal: "SIGKILL" },
  },
  {
    title: "a record holds although the system was started again since",
    exit: { code: 1, signal: null, ended_at: 0 },
    boot: "later",
    observed: { how: "exit", code: 1 },
  },
  { title: "another boot without a record", boot: "later", observed: { how: "host_restart" } },
  { title: "gone without a record, seen alive", seenAlive: true, observed: { how: "vanished", seenAlive: true } },
  { title: "gone without a record, never seen", observed: { how: "vanished", seenAlive: false } },
];

for (const { title, observed, ...facts } of ends) {
  test(`the end of a worker: ${title}`, () =>
    assert.deepEqual(observe(factsOf({ alive: false, ...facts }), worker), observed));
}

function factsOf(facts: Partial<WorkerFacts> = {}): WorkerFacts {
  return {
    since: () => NOW,
    alive: true,
    lived: undefined,
    seenAlive: false,
    local: true,
    boot: "b",
    exit: undefined,
    ...facts,
  };
}

function runOf(run: Partial<OpenRun> = {}): OpenRun {
  const base = { worker_pid: 7, worker_start: "70", boot_id: "b", claim_expires: NOW + 1, max_runtime_seconds: null };
  return { ...base, id: 1 as RunId, started_at: NOW - 10, last_heartbeat_at: NOW - 10, ...run } as OpenRun; // what `judge` reads of it
}
