import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP_ACTIONS } from "../../contracts/desktop/actions.js";
import type { DesktopAction } from "../../contracts/desktop/desktop.js";
import { paramSchema } from "../core/schema.js";
import computerUse from "./computer-use.js";
import { wrongFields } from "./fields.js";

test("the actions are exactly the named ones, in one schema", () => {
  const schema = paramSchema(computerUse);
  assert.deepEqual(schema.required, ["action"]);
  assert.deepEqual(schema.properties?.["action"]?.enum, [
    "capture",
    "click",
    "double_click",
    "right_click",
    "middle_click",
    "drag",
    "scroll",
    "type",
    "key",
    "wait",
    "list_apps",
    "focus_app",
  ]);
  assert.equal(computerUse.adapt, undefined);
  assert.equal(computerUse.params.safeParse({ action: "hover" }).success, false);
});

const RIGHT: Readonly<Record<(typeof DESKTOP_ACTIONS)[number], DesktopAction>> = {
  capture: { action: "capture", mode: "ax", app: "x", max_elements: 5 },
  click: { action: "click", element: 1, button: "middle", modifiers: ["shift"], capture_after: true },
  double_click: { action: "double_click", coordinate: [1, 2] },
  right_click: { action: "right_click", element: 1 },
  middle_click: { action: "middle_click", element: 1 },
  drag: { action: "drag", from_element: 1, to_coordinate: [3, 4], modifiers: ["cmd"] },
  scroll: { action: "scroll", direction: "left", amount: 9, element: 1 },
  type: { action: "type", text: "a", element: 1 },
  key: { action: "key", keys: "ctrl+c" },
  wait: { action: "wait", seconds: 1 },
  list_apps: { action: "list_apps" },
  focus_app: { action: "focus_app", app: "x", raise_window: true },
};

for (const action of DESKTOP_ACTIONS)
  test(`${action} takes what it takes`, () => assert.equal(wrongFields(RIGHT[action]), undefined));

for (const [given, message] of [
  [{ action: "click" }, "click needs element or coordinate"],
  [{ action: "click", element: 1, coordinate: [1, 2] }, "click takes element or coordinate, not both"],
  [{ action: "double_click", element: 1, button: "right" }, /^double_click does not take button \(it takes element, /],
  [{ action: "drag", from_element: 1 }, "drag needs to_element or to_coordinate"],
  [{ action: "scroll", element: 1 }, "scroll needs direction"],
  [{ action: "type" }, "type needs text"],
  [{ action: "key", text: "a" }, "key needs keys"],
  [{ action: "wait" }, "wait needs seconds"],
  [{ action: "list_apps", app: "x" }, "list_apps does not take app (it takes nothing)"],
  [{ action: "focus_app" }, "focus_app needs app"],
  [{ action: "capture", element: 1 }, /^capture does not take element/],
] as const satisfies readonly (readonly [DesktopAction, string | RegExp])[]) {
  test(`an error says what is wrong: ${message}`, () => {
    const told = wrongFields(given) ?? "";
    if (typeof message === "string") assert.equal(told, message);
    else assert.match(told, message);
  });
}
