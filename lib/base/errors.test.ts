import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { AppError, ERRORS, fromWireError, toAppError, toWireError } from "./errors.js";

test("every code of the table has a hint, an exit status that is not 0 and an HTTP status of an error", (t) => {
  proves(t, "errors.catalogue");
  for (const [code, { hint, exit, http }] of Object.entries(ERRORS)) {
    assert.match(code, /^E_[A-Z_]+$/);
    assert.ok(hint.trim().length > 5, `${code} says what to do`);
    assert.ok(exit > 0 && exit < 256 && http >= 400 && http < 600, code);
  }
});

test("an error crosses a wire with its code, message and hint, and none has a code that is not in the table", (t) => {
  proves(t, "errors.catalogue");
  const sent = toWireError(new AppError("E_NOT_FOUND", "no such task: t_1", { task: "t_1" }));
  assert.deepEqual(sent, {
    code: "E_NOT_FOUND",
    message: "no such task: t_1",
    hint: ERRORS.E_NOT_FOUND.hint,
    data: { task: "t_1" },
  });
  assert.deepEqual(toWireError(fromWireError(sent)), sent);
  const foreign = fromWireError({ code: "E_FROM_ELSEWHERE", message: "odd" });
  assert.deepEqual([foreign.code, foreign.message], ["E_INTERNAL", "odd"]);
  assert.equal(toWireError(new Error("boom")).code, "E_INTERNAL");
});

test("a full disk is reported as that, also where the system names no file; a watcher without room is something else", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
  assert.deepEqual([toAppError(full).code, toAppError(full).message], ["E_STORE_FULL", "the disk is full"]);
  const watcher = Object.assign(new Error("ENOSPC: too many watchers"), { code: "ENOSPC", syscall: "watch" });
  assert.equal(toAppError(watcher).code, "E_INTERNAL");
});
