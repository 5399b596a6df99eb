import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError, exitCodeOf } from "../base/errors.js";
import { choose } from "./choose.js";
import type { CheckpointHeader } from "./records.js";
import type { CheckpointStore, Project } from "./store.js";

/** A store with one project and these checkpoints. */
function storeOf(...ids: readonly string[]): CheckpointStore {
  const headers = ids.map((id) => ({ id }) as CheckpointHeader); // choosing reads ids only
  const project = { headers } as unknown as Project; // and headers
  return { projects: () => [project], projectOf: () => undefined } as unknown as CheckpointStore;
}

test("the beginning of an id that two checkpoints have is wrong usage and names both", () => {
  const store = storeOf("abcd1111", "abcd2222", "ef001122");
  assert.equal(choose(store, "ef00", undefined).header.id, "ef001122");
  assert.throws(
    () => choose(store, "abcd", undefined),
    (error) =>
      error instanceof AppError &&
      error.code === "E_AMBIGUOUS" &&
      exitCodeOf(error) === 2 &&
      /abcd is ambiguous: abcd1111, abcd2222/.test(error.message),
  );
});
