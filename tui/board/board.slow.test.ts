import assert from "node:assert/strict";
import { test } from "node:test";
import { type BoardWorld, DEFAULT, USER } from "../../fixtures/sim/board-world.js";
import { openBoardScreen } from "../../fixtures/tui/board-screen.js";
import { key } from "../../fixtures/tui/screen.js";
import { AppError } from "../../lib/base/errors.js";
import type { BoardSlug, TaskId } from "../../lib/base/units.js";
import { findSelectedCard } from "./cursor.js";
import BOARD_PANE from "./pane.js";
import { showTask } from "./show.js";

const make = async (world: BoardWorld, title: string, more: object = {}) =>
  (await world.board.create(DEFAULT, { title, ...more }, USER)).task.id;

test("the board shows columns with their counts, cards by priority then age, and empty columns as their head", async (t) => {
  const screen = await openBoardScreen(t, {
    columns: 80,
    before: async (world) => {
      await make(world, "second");
      await make(world, "first", { priority: 3, assignee: "alice", tenant: "acme" });
      await make(world, "rough", { triage: true });
    },
  });
  const text = await screen.until((shown) => shown.includes("second"));
  assert.match(text, /triage 1 +todo 0 +ready 2 +running 0 +blocked 0 +done 0 /);
  assert.ok(text.indexOf("first") < text.indexOf("second"));
  assert.match(text, /t_00010002 P3/);
  assert.match(text, /@alice #acme/);
  assert.deepEqual(screen.failures, []);
});

test("an empty board says how to begin", async (t) => {
  const screen = await openBoardScreen(t);
  await screen.until((text) => text.includes("No tasks on board default. Press a to add one."));
});

test("W16: a task that is made, changed or deleted elsewhere is seen without reading the board again", async (t) => {
  const screen = await openBoardScreen(t, { before: (world) => make(world, "here already") });
  await screen.until((text) => text.includes("here already"));
  const reads = () => screen.state().board.cards.size;
  assert.equal(reads(), 1);
  const { board } = screen.world;
  const id = await make(screen.world, "made elsewhere");
  await screen.until((text) => text.includes("made elsewhere") && text.includes("ready 2"));
  await board.block(DEFAULT, id, { reason: "needs a key" }, USER);
  await screen.until((text) => text.includes("blocked 1") && text.includes("ready 1"));
  await board.archive(DEFAULT, id, USER);
  await board.remove(DEFAULT, id, {}, USER);
  await screen.until((text) => !text.includes("made elsewhere") && text.includes("blocked 0"));
  assert.deepEqual(screen.failures, []);
});

test("the cursor stays on its card while others come above it, and where it is when its card leaves", async (t) => {
  const screen = await openBoardScreen(t, {
    before: async (world) => {
      for (const title of ["one", "two", "three"]) await make(world, title);
    },
  });
  await screen.until((text) => text.includes("three"));
  await screen.press("j");
  const cursor = () => findSelectedCard(screen.state().board)?.title;
  assert.equal(cursor(), "two");
  const urgent = await make(screen.world, "urgent", { priority: 9 });
  await screen.until((text) => text.includes("urgent"));
  assert.equal(cursor(), "two");
  await screen.world.board.complete(DEFAULT, urgent, {}, USER);
  const two = screen.state().board.shown.ready.find((card) => card.title === "two");
  await screen.world.board.complete(DEFAULT, (two?.id ?? "") as typeof urgent, {}, USER);
  // The counts are those of the moment of a read, the cards those that were heard of: a count may be told just before its card.
  await screen.until(
    (text) => text.includes("done 2") && !screen.state().board.shown.ready.some((card) => card.title === "two"),
  );
  assert.equal(cursor(), "three");
});

test("the cursor is on the next card when its own leaves together with one above it", async (t) => {
  const screen = await openBoardScreen(t, {
    before: async (world) => {
      for (const title of ["one", "two", "three", "four"]) await make(world, title);
    },
  });
  await screen.until((text) => text.includes("four"));
  await screen.press("j");
  const { slug, counts, shown } = screen.state().board;
  const gone = shown.ready.slice(0, 2).map((card) => card.id);
  await screen.send({ type: "board.changed", slug, counts, paused: undefined, cards: [], gone, by: new Map() });
  assert.equal(findSelectedCard(screen.state().board)?.title, "three");
});

test("the drawer of a task that is done has no warning about it", async (t) => {
  const screen = await openBoardScreen(t, {
    columns: 160,
    rows: 40,
    before: async (world) => {
      const id = await make(world, "the task");
      await world.board.complete(DEFAULT, id, { summary: "made" }, USER);
    },
  });
  await screen.until((text) => text.includes("the task"));
  await screen.press("f8", "enter");
  const text = await screen.until((shown) => shown.includes("events"));
  assert.match(text, /✓ Done\./);
  assert.doesNotMatch(text, /! Done/);
});

test("the drawer shows everything about a task and follows what happens to it; Esc closes it", async (t) => {
  const screen = await openBoardScreen(t, {
    columns: 160,
    rows: 40,
    before: async (world) => {
      const parent = await make(world, "the parent");
      const id = await make(world, "the task", { body: "line one\nline two", priority: 2, assignee: "alice" });
      await make(world, "the child", { parents: [id] });
      await world.board.link(DEFAULT, parent, id, USER);
      await world.board.unlink(DEFAULT, parent, id, USER);
    },
  });
  await screen.until((text) => text.includes("the task"));
  await screen.press("f8", "enter");
  const text = await screen.until((shown) => shown.includes("events"));
  for (const part of ["line one", "line two", "assignee   alice", "children", "t_00010003 the child", "unlinked"])
    assert.ok(text.includes(part), part);
  const id = screen.state().board.drawer?.id;
  await screen.world.board.comment(DEFAULT, id as never, "look here", USER);
  await screen.until((shown) => shown.includes("look here") && shown.includes("comments 1"));
  await screen.press("J");
  await screen.until((shown) => !shown.includes("look here"));
  await screen.press("K");
  await screen.until((shown) => shown.includes("look here"));
  await screen.press("escape");
  assert.ok(!screen.text().includes("look here"));
  assert.equal(screen.state().focus, "board");
});

test("a filter shows what fits and says so in the title; Esc shows everything again", async (t) => {
  const screen = await openBoardScreen(t, {
    columns: 160,
    rows: 40,
    before: async (world) => {
      await make(world, "parser tests", { assignee: "alice" });
      await make(world, "parser docs");
      await make(world, "other");
      await world.board.archive(DEFAULT, await make(world, "put away"), USER);
    },
  });
  await screen.until((text) => text.includes("other"));
  await screen.press("f");
  await screen.type("parser @alice");
  await screen.press("enter");
  assert.match(screen.text(), /board─ default · filter parser @alice/);
  assert.match(screen.text(), /ready 1\/3/);
  assert.ok(!screen.text().includes("parser docs"));
  await screen.press("escape");
  assert.ok(screen.text().includes("parser docs"));
  await screen.press("f");
  await screen.type("archived");
  await screen.press("enter", "f8");
  await screen.until((text) => text.includes("put away"));
});

test("search goes from hit to hit, over columns and round the end", async (t) => {
  const screen = await openBoardScreen(t, {
    before: async (world) => {
      await make(world, "alpha one");
      await make(world, "beta");
      await make(world, "alpha two", { triage: true });
    },
  });
  await screen.until((text) => text.includes("beta"));
  const at = () => findSelectedCard(screen.state().board)?.title;
  await screen.press("j", "/");
  await screen.type("alpha");
  await screen.press("enter");
  assert.equal(at(), "alpha two");
  await screen.press("n");
  assert.equal(at(), "alpha one");
  await screen.press("N");
  assert.equal(at(), "alpha two");
});

test("a card that waits too long changes its colour, twice", async (t) => {
  const screen = await openBoardScreen(t, { before: (world) => make(world, "idle card") });
  await screen.until((text) => text.includes("idle card"));
  const colours: unknown[] = [];
  for (const hours of [0, 2, 40]) {
    screen.world.clock.advance(hours * 3_600_000);
    await screen.send({ type: "tick", now: 0, wall: screen.world.clock.now() }, key("f2"), key("f3"), key("l"));
    const row = screen.lines().findIndex((line) => line.includes("idle card")) + 1;
    const x = screen.lines()[row]?.search(/now|\dh/) ?? 0;
    colours.push(screen.term.buffer.active.getLine(row)?.getCell(x)?.getFgColor());
  }
  assert.equal(new Set(colours).size, 3);
  assert.match(screen.text(), /42h/);
});

test("a board that can not be read says what is wrong, and r reads it again", async (t) => {
  const screen = await openBoardScreen(t, { before: (world) => make(world, "the task") });
  await screen.until((text) => text.includes("the task"));
  const { board } = screen.world;
  const { cards } = board;
  Object.assign(board, {
    cards: () => Promise.reject(new AppError("E_STORE", "the store of board default is damaged")),
  });
  await screen.press("r");
  await screen.until((text) => text.includes("is damaged") && text.includes("r retries"));
  Object.assign(board, { cards });
  await screen.press("r");
  await screen.until((text) => text.includes("the task"));
});

test("a press of the mouse chooses a card, a double one opens it", async (t) => {
  const screen = await openBoardScreen(t, {
    before: async (world) => {
      for (const title of ["one", "two", "three"]) await make(world, title);
      await make(world, "rough", { triage: true });
    },
  });
  await screen.until((text) => text.includes("three") && text.includes("rough"));
  const at = (word: string) => {
    const y = screen.lines().findIndex((line) => line.includes(word));
    return { x: screen.lines()[y]?.indexOf(word) ?? 0, y: y - 1, width: 80, height: 19 };
  };
  for (const word of ["two", "rough", "three"]) {
    const [state] = BOARD_PANE.click?.(screen.state(), { ...at(word), times: 1 }) ?? [screen.state()];
    assert.equal(findSelectedCard(state.board)?.title, word);
  }
  const [opened, effects] = BOARD_PANE.click?.(screen.state(), { ...at("two"), times: 2 }) ?? [screen.state(), []];
  assert.equal(opened.board.drawer?.id, screen.state().board.shown.ready[1]?.id);
  assert.equal(effects.length, 1);
});

test("a task that is shown from elsewhere is read when it is not here, and stands under the cursor with its drawer", async (t) => {
  const screen = await openBoardScreen(t, {
    before: async (world) => {
      const old = await make(world, "the oldest");
      await world.board.complete(DEFAULT, old, {}, USER);
      for (let n = 0; n < 120; n++) {
        world.clock.advance(1000);
        await world.board.complete(DEFAULT, await make(world, `later ${n}`), {}, USER);
      }
    },
  });
  await screen.until((text) => text.includes("done 121"));
  const { board } = screen.state();
  assert.equal(board.columns.done.length, 100, "of what is done only the newest are here");
  const id = "t_00000001";
  const old = (await screen.world.board.list(DEFAULT, { sort: "created", limit: 1 }))[0]?.task.id ?? id;
  const [state, effects] = showTask(screen.state(), "default", old, true);
  assert.equal(state.board.drawer?.id, old);
  const [call] = effects;
  assert.ok(call?.do === "call" && call.to === "board.want");
  await screen.world.board.comment(DEFAULT, old as typeof id & TaskId, "still here", USER);
  await screen.until(() => screen.state().board.cards.has(old)); // a change brings one card from behind the edge
  await screen.press("G");
  await screen.until(() => screen.state().board.columns.done.length === 121);
});

test("a task of another board is shown there, also one that is not among the first of its column", async (t) => {
  const other = "other" as BoardSlug;
  const screen = await openBoardScreen(t, {
    world: { real: true },
    before: async (world) => {
      await make(world, "on default");
      await world.board.createBoard({ slug: "other" }, USER);
      const { task } = await world.board.create(other, { title: "the oldest there" }, USER);
      await world.board.complete(other, task.id, {}, USER);
      for (let n = 0; n < 101; n++) {
        world.clock.advance(1000);
        await world.board.complete(
          other,
          (await world.board.create(other, { title: `later ${n}` }, USER)).task.id,
          {},
          USER,
        );
      }
    },
  });
  await screen.until((text) => text.includes("on default"));
  const [old] = await screen.world.board.list(other, { sort: "created", limit: 1 });
  await screen.apply((state) => showTask(state, "other", old?.task.id ?? "", true));
  await screen.until((text) => text.includes("the oldest there"));
  assert.equal(screen.state().board.drawer?.id, old?.task.id);
  await screen.press("escape");
  await screen.until(() => findSelectedCard(screen.state().board)?.id === old?.task.id);
  assert.deepEqual(screen.failures, []);
});
