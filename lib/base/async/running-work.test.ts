import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "./next-turn.js";
import { createRunningWork } from "./running-work.js";

test("work that was begun before or during the wait is waited for, failed or not", async () => {
  const work = createRunningWork();
  const ends: (() => void)[] = [];
  const begin = (): void => {
    work.add(new Promise<void>((resolve) => ends.push(resolve))).catch(() => undefined); // it never fails
  };
  begin();
  await assert.rejects(work.add(Promise.reject(new Error("broken"))), /broken/);
  let isSettled = false;
  const settled = work.settled().then(() => {
    isSettled = true;
  });
  begin();
  let fail: (error: Error) => void = () => undefined;
  const failing = new Promise<void>((_resolve, reject) => {
    fail = reject;
  });
  const failed = assert.rejects(work.add(failing), /later/);
  ends[0]?.();
  await nextTurn();
  fail(new Error("later"));
  await failed;
  await nextTurn();
  assert.equal(isSettled, false);
  ends[1]?.();
  await settled;
  await work.settled();
});
