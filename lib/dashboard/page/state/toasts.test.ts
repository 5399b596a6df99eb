import assert from "node:assert/strict";
import { test } from "node:test";
import { type Toast, withoutToast, withToast } from "./toasts.js";

const toast = (id: number, text = `t${id}`): Toast => ({ id, kind: "told", text });

test("what is reported at once stays few, the newest last, and the same words stand once", () => {
  const many = [1, 2, 3, 4, 5].map((id) => toast(id)).reduce(withToast, [] as readonly Toast[]);
  assert.deepEqual(
    many.map(({ id }) => id),
    [2, 3, 4, 5],
  );
  assert.deepEqual(
    withToast(many, toast(6, "t3")).map(({ id }) => id),
    [2, 4, 5, 6],
  );
  assert.deepEqual(
    withoutToast(many, 4).map(({ id }) => id),
    [2, 3, 5],
  );
  assert.equal(withoutToast(many, 99), many);
});
