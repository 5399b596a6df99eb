import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf, eventOf, viewOf } from "../../../../fixtures/dashboard/cards.js";
import type { BoardEvent } from "../../../contracts/board/board.js";
import type { BoardView } from "../../../contracts/board/explain.js";
import { NO_BOARD } from "../state/board/state.js";
import { createStore } from "../state/store.js";
import { boardReader, type Extent } from "./reader.js";

function setup(late: readonly BoardEvent[] = []) {
  const state = createStore(NO_BOARD);
  const asked: Extent[] = [];
  const answers: ((view: BoardView) => void)[] = [];
  const refreshed: (readonly string[])[] = [];
  const ask = (extent: Extent): Promise<BoardView> => {
    asked.push(extent);
    return new Promise((resolve) => answers.push(resolve));
  };
  const refresh = async (ids: readonly string[]) => void refreshed.push(ids);
  const read = boardReader(
    { state, ask, mark: () => () => late, refresh, now: () => 0 },
    { archived: false, limit: 60 },
  );
  return { state, asked, answers, refreshed, read };
}

test("of two readings at once the later one is shown, whichever is answered first, and both wait for it", async () => {
  const { state, asked, answers, read } = setup();
  const both = [read(), read({ archived: true })];
  answers[1]?.(viewOf([cardOf("t_1"), cardOf("t_2")]));
  answers[0]?.(viewOf([cardOf("t_1")]));
  await Promise.all(both);
  assert.deepEqual([asked.map(({ archived }) => archived), state.get().cards.size], [[false, true], 2]);
});

test("no one goes on before the board is there: an earlier reading waits for the later one", async () => {
  const { state, answers, read } = setup();
  const early = read();
  const later = read({ limit: 500 });
  answers[0]?.(viewOf([]));
  let phase = "";
  const seen = early.then(() => {
    phase = state.get().phase;
  });
  answers[1]?.({ ...viewOf([cardOf("t_1")]), latest_event_id: 7 });
  await Promise.all([seen, later]);
  assert.deepEqual([phase, state.get().cursor], ["ready", 7]);
});

test("what has happened while the board was read is read behind it", async () => {
  const { answers, refreshed, read } = setup([eventOf(9, "commented", "t_1")]);
  const done = read();
  answers[0]?.(viewOf([cardOf("t_1")]));
  await done;
  assert.deepEqual(refreshed, [["t_1"]]);
});
