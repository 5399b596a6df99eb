import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../storage/store.js";
import type { SessionId, TurnId } from "../base/units.js";
import type { NewSession, SessionRecord, TurnResult } from "../proto/chat.js";
import { createOpenSessions } from "./open-sessions.js";

test("what a second turn tells belongs to the second turn", async () => {
  const told: (string | undefined)[] = [];
  let turns = 0;
  const open = createOpenSessions(
    (_store, _session, _options, live) => ({
      cwd: "/",
      follow: () => undefined,
      close: async () => undefined,
      run: async ({ onTurn }) => {
        onTurn?.(`s:${++turns}` as TurnId);
        live("text.delta", {});
        return {} as TurnResult; // nobody reads it
      },
    }),
    (_session, turn) => told.push(turn),
  );
  const session = { id: "s" as SessionId } as SessionRecord; // only its id is used
  const options: NewSession = { source: "cli", cwd: "/", env: {} };
  await open.open(session, options);
  const store = {} as Store; // handed on, never used
  for (const text of ["one", "two"]) await open.run(store, { session: session.id, text });
  assert.deepEqual(told, ["s:1", "s:2"]);
});
