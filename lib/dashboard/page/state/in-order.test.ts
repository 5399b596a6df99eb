import assert from "node:assert/strict";
import { test } from "node:test";
import { createInOrder } from "./in-order.js";

/** Questions of which each is answered when the test says so. */
function questions() {
  const shown: string[] = [];
  const ask = createInOrder<string>((answer) => shown.push(answer));
  const put = () => {
    let answer: (text: string) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const done = ask(
      () =>
        new Promise((resolve, reject) => {
          [answer, fail] = [resolve, reject];
        }),
    );
    return { done, answer: (text: string) => answer(text), fail: (error: Error) => fail(error) };
  };
  return { shown, put };
}

test("an older answer that arrives after a newer one is not shown", async () => {
  const { shown, put } = questions();
  const old = put();
  const young = put();
  young.answer("young");
  await young.done;
  old.answer("old");
  await old.done;
  assert.deepEqual(shown, ["young"]);
});

test("answers that come in the order of their questions are all shown", async () => {
  const { shown, put } = questions();
  const first = put();
  const second = put();
  first.answer("first");
  await first.done;
  second.answer("second");
  await second.done;
  assert.deepEqual(shown, ["first", "second"]);
});

test("a question that fails says so to who asked it, and holds no older answer back", async () => {
  const { shown, put } = questions();
  const old = put();
  const young = put();
  young.fail(new Error("gone"));
  await assert.rejects(young.done, /gone/);
  old.answer("old");
  await old.done;
  assert.deepEqual(shown, ["old"]);
});
