import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { AppError } from "../../base/errors.js";
import type { TurnId } from "../../base/units.js";
import type { Transcript } from "../../contracts/chat/chat.js";
import { keepDraft } from "./draft.js";

const TURN = "20260329_003000_000001:1" as TurnId; // the form that the brand stands for

function drafting(draft: Transcript["draft"] = () => Promise.resolve()) {
  const clock = manualClock();
  const kept: string[] = [];
  const transcript = {
    draft: (turn: TurnId, text: string) => {
      kept.push(text);
      return draft(turn, text);
    },
  } as Transcript; // the only thing that is asked of it
  return { clock, kept, draft: keepDraft({ clock, transcript, redact: (text) => text.replace("word", "***") }, TURN) };
}

test("text that streams is kept every 2 s, whole and redacted", async () => {
  const { clock, kept, draft } = drafting();
  for (const piece of ["one ", "word ", "three"]) {
    draft.add(piece);
    clock.advance(1_500);
  }
  await draft.settled();
  assert.deepEqual(kept, ["one *** "]);
});

test("text behind which the model falls silent is kept 2 s after it came", async () => {
  const { clock, kept, draft } = drafting();
  draft.add("half an ans");
  clock.advance(1_999);
  assert.deepEqual([...kept], []);
  clock.advance(1);
  await draft.settled();
  assert.deepEqual(kept, ["half an ans"]);
});

test("what does not count any more is not kept, and an answer that has ended leaves no timer", async () => {
  const { clock, kept, draft } = drafting();
  draft.add("wrong");
  draft.reset();
  draft.add("right");
  clock.advance(2_000);
  draft.add(" and short");
  await draft.settled();
  assert.deepEqual([kept, clock.waiting], [["right"], 0]);
});

test("that a draft could not be stored is told at the end", async () => {
  const { clock, draft } = drafting(() =>
    Promise.reject(new AppError("E_STORE_FULL", "the disk is full", { hint: "make room" })),
  );
  draft.add("half");
  clock.advance(2_000);
  await assert.rejects(draft.settled(), { code: "E_STORE_FULL" });
});
