import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { openFileStore } from "../../../storage/file/open.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import { layOutHome } from "../../base/home.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import { createRecall } from "../../chat/sessions/recall.js";
import { createSessions } from "../../chat/sessions/sessions.js";
import { createSessionSearch } from "../../chat/sessions/sessions-search.js";
import { openTranscript } from "../../chat/transcript/transcript.js";
import { otherProfiles } from "./other-profiles.js";

const ASK = { limit: 3, window: 5, roles: ["user"], sort: "relevance" } as const;

test("a session of another profile is read by profile/id while its owner has it open, and nothing is written there", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "profiles-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const clock = manualClock("2026-03-01T12:00:00Z");
  const open = (dir: string) => {
    mkdirSync(dir, { recursive: true });
    const spec = {
      name: "sessions",
      path: layOutHome(dir).sessions,
      kind: "sessions",
      migrations: sessionMigrations,
    } as const;
    const store = openFileStore(spec, { host: "inline", clock, log: silentLog });
    t.after(() => store.close());
    return store;
  };
  const theirs = join(root, "profiles", "work");
  const store = open(theirs);
  const made = await createSessions({ store, clock, ids: randomIds }).create({
    source: "cli",
    cwd: "/",
    profile: "work",
    model: "m",
    provider: "p",
  });
  await openTranscript({ store, clock }, made).beginTurn({ role: "user", content: "said at work" });
  const own = open(root);
  const before = readdirSync(theirs).toSorted();
  const recall = createRecall({
    store: own,
    sessions: createSessions({ store: own, clock, ids: randomIds }),
    search: createSessionSearch(own, clock),
    profile: "default",
    asking: "none" as SessionId, // it is not stored
    elsewhere: otherProfiles({ home: layOutHome(root), clock, log: silentLog }),
  });
  const read = await recall.recall({ ...ASK, session_id: `work/${made.id}` });
  assert.deepEqual([read["success"], read["profile"], read["message_count"]], [true, "work", 1]);
  assert.deepEqual(readdirSync(theirs).toSorted(), before);
  await assert.rejects(recall.recall({ ...ASK, session_id: `play/${made.id}` }), /no sessions of profile "play"/);
  await assert.rejects(recall.recall({ ...ASK, session_id: made.id }), /no such session/);
});
