import assert from "node:assert/strict";
import { test } from "node:test";
import { PANES, paneNames, paneTypes } from "./pane-tables.js";
import type { Found } from "./registries.js";

const pane = (id: string, place: number): Found => ({
  file: `tui/${id}/pane.ts`,
  definition: { id, title: id, short: id, place, keys: [`f${place}`], rows: () => [] },
});

test("panes are listed by their place, whatever their folders are called", () => {
  const text = paneTypes([pane("alpha", 2), pane("beta", 1)]);
  assert.match(text, /PANES = \["beta", "alpha"\] as const/);
  assert.match(text, /readonly beta: BetaState;\n {2}readonly alpha: AlphaState;/);
});

test("a pane without messages adds none, and the others keep theirs", () => {
  const text = paneTypes([pane("board", 1), pane("alpha", 2)]);
  assert.match(text, /export type PaneMessage = BoardMessage;/);
  assert.match(text, /export type PaneEffect = BoardEffect;/);
});

test("two panes in one place, or a pane outside of the folder of its id, are refused", () => {
  assert.throws(() => PANES.render([pane("alpha", 1), pane("beta", 1)]), /two panes have the place 1/);
  const astray = { ...pane("alpha", 1), file: "tui/beta/pane.ts" };
  assert.throws(() => PANES.render([astray]), /tui\/beta\/pane\.ts: the pane alpha belongs in tui\/alpha\/pane\.ts/);
});

test("commands take the names of panes from the definitions: those with a filter, those with a size", () => {
  const plain = pane("alpha", 2);
  const filtered: Found = {
    ...pane("beta", 3),
    definition: { ...Object(pane("beta", 3).definition), filter: () => [] },
  };
  const sized: Found = { ...pane("gamma", 4), definition: { ...Object(pane("gamma", 4).definition), share: 30 } };
  const text = paneNames([plain, filtered, sized, pane("main", 1)]);
  assert.match(text, /FILTERED_PANES = \["beta"\] as const/);
  assert.match(text, /SIZED_PANES = \["main", "gamma"\] as const/);
});
