import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import type { CallOptions, Client } from "../backplane/client.js";
import { AppError } from "../base/errors.js";
import type { ClaimFile } from "../contracts/board/board.js";
import { createWorkerCall } from "./worker-call.js";
import { EXIT, WorkerStop } from "./worker-state.js";

/** A worker whose owner answers with these, one after the other; the last one stays. */
function setup(answers: readonly (AppError | string)[]) {
  const clock = manualClock();
  const control = new AbortController();
  const keys: (string | undefined)[] = [];
  const traced: string[] = [];
  const call = async (_method: string, _params: object, { key }: CallOptions = {}) => {
    const answer = answers[Math.min(keys.length, answers.length - 1)];
    keys.push(key);
    if (answer instanceof AppError) throw answer;
    return answer;
  };
  const deps = {
    client: { call } as unknown as Client, // nothing else of a client is used
    claim: { run: 7 } as unknown as ClaimFile, // its run alone is read
    clock,
    ids: countingIds(),
    trace: (line: string) => void traced.push(line),
  };
  return { clock, control, keys, traced, call: createWorkerCall(deps, control) };
}

const full = new AppError("E_STORE_FULL", "the disk is full");
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a worker waits for space on a full disk and repeats the call with its key", async () => {
  const { call, clock, keys, traced } = setup([full, full, "stored"]);
  const answer = call("worker.spend", {});
  for (let n = 0; n < 3; n++) {
    await turn();
    clock.advance(5_000);
  }
  assert.equal(await answer, "stored");
  assert.deepEqual([keys.length, new Set(keys).size, traced.length], [3, 1, 1]);
});

test("a worker that has to stop does not wait for space", async () => {
  const { call, control } = setup([full]);
  const answer = call("worker.spend", {});
  await turn();
  control.abort(new WorkerStop(EXIT.lost, "the lease expired without an owner"));
  await assert.rejects(answer, (error: unknown) => error instanceof WorkerStop);
});

test("any other failure of a call is one at once, and a lost claim ends the run", async () => {
  const { call, control, keys } = setup([new AppError("E_CLAIM_LOST", "gone")]);
  await assert.rejects(call("worker.spend", {}), { code: "E_CLAIM_LOST" });
  assert.deepEqual([keys.length, control.signal.aborted], [1, true]);
});
