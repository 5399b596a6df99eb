import assert from "node:assert/strict";
import { test } from "node:test";
import { slashWorld } from "../../fixtures/sim/slash-world.js";

const FRONT = { source: "cli", cwd: "/", env: {} } as const;

for (const list of ["allow", "deny"] as const) {
  for (const rule of ["{paths: [/x]}", "{comand: cat}", "[cat]"]) {
    test(`a session does not open with --${list} '${rule}', which would match nothing`, async (t) => {
      const { chat } = slashWorld(t);
      await assert.rejects(chat.create({ ...FRONT, [list]: [rule] }), { code: "E_USAGE" });
    });
  }
  test(`a session opens with a rule of --${list} that is a map`, async (t) => {
    const { chat } = slashWorld(t);
    const { id } = await chat.create({ ...FRONT, [list]: ["{command: cat, paths: [/x]}"] });
    await assert.rejects(chat.resume(id, { ...FRONT, [list]: ["{paths: [/x]}"] }), { code: "E_USAGE" });
  });
}
