import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf, viewOf } from "../../../../fixtures/dashboard/cards.js";
import type { BoardView } from "../../../contracts/board/explain.js";
import { toLoadedBoard } from "../state/board/patch.js";
import { createStore } from "../state/store.js";
import { refresher } from "./refresher.js";

function setup() {
  const state = createStore(toLoadedBoard(viewOf([cardOf("t_1"), cardOf("t_2")]), 0));
  const asked: (readonly string[])[] = [];
  const answers: { resolve(view: BoardView): void; reject(error: Error): void }[] = [];
  const refresh = refresher(state, (ids) => {
    asked.push(ids);
    return new Promise((resolve, reject) => answers.push({ resolve, reject }));
  });
  return { state, asked, answers, refresh };
}

test("what is asked for while a question is under way goes into one more question", async () => {
  const { state, asked, answers, refresh } = setup();
  const all = [refresh(["t_1"]), refresh(["t_2"]), refresh(["t_1", "t_3"])];
  answers[0]?.resolve(viewOf([cardOf("t_1", { title: "first", version: 2 })]));
  while (answers.length < 2) await Promise.resolve();
  answers[1]?.resolve(viewOf([cardOf("t_1", { title: "second", version: 3 }), cardOf("t_2"), cardOf("t_3")]));
  await Promise.all(all);
  assert.deepEqual(asked, [["t_1"], ["t_2", "t_1", "t_3"]]);
  assert.deepEqual([state.get().cards.get("t_1")?.title, state.get().cards.size], ["second", 3]);
});

test("many changed cards are asked for in pieces", async () => {
  const { asked, answers, refresh } = setup();
  const done = refresh(Array.from({ length: 450 }, (_, at) => `t_${at}`));
  for (let at = 0; at < 3; at++) {
    while (answers.length <= at) await Promise.resolve();
    answers[at]?.resolve(viewOf([]));
  }
  await done;
  assert.deepEqual(
    asked.map(({ length }) => length),
    [200, 200, 50],
  );
});

test("what could not be read is asked for again with the next question", async () => {
  const { asked, answers, refresh } = setup();
  const failed = refresh(["t_1"]);
  answers[0]?.reject(new Error("away"));
  await assert.rejects(failed, /away/);
  const next = refresh([]);
  answers[1]?.resolve(viewOf([cardOf("t_1", { version: 2 })]));
  await next;
  assert.deepEqual(asked, [["t_1"], ["t_1"]]);
});
