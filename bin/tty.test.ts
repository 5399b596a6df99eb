import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { readFrom } from "./tty.js";

test("a terminal that is stopped and goes on again and again is read by no one who has left", () => {
  const input = new PassThrough();
  const heard: string[] = [];
  for (let times = 0; times < 12; times++)
    readFrom(
      input,
      (bytes) => heard.push(String(bytes)),
      () => heard.push("end"),
    )();
  assert.deepEqual(
    [input.listenerCount("data"), input.listenerCount("end"), input.isPaused(), heard],
    [0, 0, true, []],
  );
});
