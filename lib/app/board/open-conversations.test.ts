import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import { silentLog } from "../../base/log/log.js";
import type { BoardSlug, SessionId } from "../../base/units.js";
import { openConversations } from "./open-conversations.js";

test("live runs of two boards that have the same number are two conversations", async (t) => {
  const { board } = setupBoard(t, { real: true });
  const other = (await board.createBoard({ slug: "other" }, USER)).board.slug as BoardSlug; // the slug of a listed board
  const numbers = [];
  const named = ["20260301_120000_aaaaaa", "20260301_120000_bbbbbb"] as const;
  for (const [slug, id] of [
    [DEFAULT, named[0]],
    [other, named[1]],
  ] as const) {
    const session_id = id as SessionId; // its form
    const { task } = await board.create(slug, { title: "work", assignee: "alice" }, USER);
    const outcome = await board.claim(slug, task.id, { profile: "alice", lock: "h:1", by: USER });
    assert.ok(outcome.claimed);
    await board.spend(slug, outcome.claim, { session_id });
    numbers.push(outcome.claim.run);
  }
  assert.deepEqual(numbers, [1, 1]);
  const open = await openConversations(silentLog, board);
  assert.deepEqual({ ...open, named: [...open.named].toSorted() }, { named: [...named], all: true });
});

test("a board that cannot be read is said, and those that can are", async () => {
  const slugs = async () => [DEFAULT, "broken" as BoardSlug]; // a slug by its form
  const openRuns = async (slug: BoardSlug) => {
    if (slug !== DEFAULT) throw new Error("its file is damaged");
    return [];
  };
  assert.deepEqual(await openConversations(silentLog, { slugs, openRuns }), { named: new Set(), all: false });
});
