import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRoute, parseRoute } from "./route.js";

const CASES = [
  { hash: "", view: "board", id: undefined, query: {} },
  { hash: "#code=abc", view: "board", id: undefined, query: {} },
  { hash: "#/", view: "board", id: undefined, query: {} },
  { hash: "#/sessions", view: "sessions", id: undefined, query: {} },
  { hash: "#/board/t_1?board=other", view: "board", id: "t_1", query: { board: "other" } },
  { hash: "#/logs/a%2Fb", view: "logs", id: "a/b", query: {} },
  { hash: "#/logs/%zz", view: "logs", id: "%zz", query: {} },
] as const;

for (const { hash, ...route } of CASES)
  test(`the address "${hash}" leads to ${route.view} ${route.id ?? ""}`, () => {
    assert.deepEqual(parseRoute(hash), route);
  });

test("an address leads back to where it was made", () => {
  const route = { view: "logs", id: "a/b c", query: { q: "x&y" } };
  assert.deepEqual(parseRoute(formatRoute(route)), route);
});
