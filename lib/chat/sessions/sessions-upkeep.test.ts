import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import { pruneSessions } from "./sessions-upkeep.js";

const named = (id: string) => ({ id }) as SessionRecord; // only the id is looked at
const ids = (sessions: readonly SessionRecord[]) => sessions.map(({ id }) => id);

for (const code of ["E_RUNNING", "E_STATE", "E_NOT_FOUND"] as const)
  test(`pruning leaves a conversation alone that cannot go any more (${code}), and deletes the others`, async () => {
    const gone: SessionId[] = [];
    const remove = async (id: SessionId) => {
      if (id === "two") throw new AppError(code, "not now");
      gone.push(id);
      return { sessions: 1, messages: 0, backups: [] };
    };
    assert.deepEqual(ids(await pruneSessions(["one", "two", "three"].map(named), remove)), ["one", "three"]);
    assert.deepEqual(gone, ["one", "three"]);
  });

test("pruning ends with the error of a store that cannot be written", async () => {
  const remove = () => Promise.reject(new AppError("E_STORE_FULL", "the disk is full"));
  await assert.rejects(pruneSessions([named("one")], remove), { code: "E_STORE_FULL" });
});
