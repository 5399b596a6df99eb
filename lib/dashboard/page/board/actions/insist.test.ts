import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../net/api.js";
import { changeWithConsent } from "./insist.js";

/** Refuses with these, one after the other, and takes the next change. */
function owner(refusals: readonly ApiError[], answer: boolean) {
  const waiting = [...refusals];
  const sent: unknown[] = [];
  const asked: (string | undefined)[] = [];
  const dialogs = {
    confirm: async ({ confirm }: { readonly confirm: string }) => {
      asked.push(confirm);
      return answer;
    },
  };
  const send = async (change: unknown) => {
    sent.push(change);
    const refusal = waiting.shift();
    if (refusal !== undefined) throw refusal;
    return "done";
  };
  return { sent, asked, wish: { dialogs, send, title: "a task" } };
}

const child = new ApiError(409, "E_CHILD_RUNNING", "t_2 is at work");
const moved = new ApiError(409, "E_CONFLICT", "it is in done by now");

test("what a running child stands against is forced after a question", async () => {
  const { sent, asked, wish } = owner([child], true);
  assert.equal(await changeWithConsent({ ...wish, change: { verdict: "rejected" } }), "done");
  assert.deepEqual(asked, ["Stop them and continue"]);
  assert.deepEqual(sent.at(-1), { verdict: "rejected", force: true });
});

test("one objection after the other is asked about, each once", async () => {
  const { asked, wish } = owner([moved, child], true);
  assert.equal(await changeWithConsent({ ...wish, change: { status: "todo", expected_status: "ready" } }), "done");
  assert.deepEqual(asked, ["Move anyway", "Stop them and continue"]);
  const again = owner([child, child], true);
  await assert.rejects(changeWithConsent({ ...again.wish, change: {} }), child);
});

test("a no leaves everything as it is, and what cannot be overruled is reported", async () => {
  const { sent, wish } = owner([child], false);
  assert.equal(await changeWithConsent({ ...wish, change: {} }), undefined);
  assert.equal(sent.length, 1);
  for (const refusal of [new ApiError(412, "E_CONFLICT", "changed"), new ApiError(409, "E_STATE", "no"), moved])
    await assert.rejects(changeWithConsent({ ...owner([refusal], true).wish, change: {} }), refusal);
});
