import type { DesktopActionName } from "../../contracts/desktop/actions.js";
import type { DesktopAction } from "../../contracts/desktop/desktop.js";

type Field = Exclude<keyof DesktopAction, "action">;

interface Takes {
  /** Exactly one of each group. */
  readonly one?: readonly (readonly Field[])[];
  /** At most one of each group. */
  readonly most?: readonly (readonly Field[])[];
  readonly others?: readonly Field[];
}

const POINT: readonly Field[] = ["element", "coordinate"];
const CLICK: Takes = { one: [POINT], others: ["modifiers", "capture_after"] };

/** What each action takes (extensions part, 10.6). */
const TAKES: Readonly<Record<DesktopActionName, Takes>> = {
  capture: { others: ["mode", "app", "max_elements"] },
  click: { one: [POINT], others: ["button", "modifiers", "capture_after"] },
  double_click: CLICK,
  right_click: CLICK,
  middle_click: CLICK,
  drag: {
    one: [
      ["from_element", "from_coordinate"],
      ["to_element", "to_coordinate"],
    ],
    others: ["modifiers", "capture_after"],
  },
  scroll: { one: [["direction"]], most: [POINT], others: ["amount", "capture_after"] },
  type: { one: [["text"]], others: ["element", "capture_after"] },
  key: { one: [["keys"]], others: ["capture_after"] },
  wait: { one: [["seconds"]] },
  list_apps: {},
  focus_app: { one: [["app"]], others: ["raise_window", "capture_after"] },
};

/** What is wrong with the fields of an action; undefined: nothing. */
export function wrongFields(given: DesktopAction): string | undefined {
  const { one = [], most = [], others = [] } = TAKES[given.action];
  const has = (field: Field): boolean => given[field] !== undefined;
  for (const group of one) {
    const there = group.filter(has);
    if (there.length === 0) return `${given.action} needs ${group.join(" or ")}`;
    if (there.length > 1) return `${given.action} takes ${there.join(" or ")}, not both`;
  }
  for (const group of most) {
    const there = group.filter(has);
    if (there.length > 1) return `${given.action} takes ${there.join(" or ")}, not both`;
  }
  const all = [...one.flat(), ...most.flat(), ...others];
  const extra = (Object.keys(given) as (keyof DesktopAction)[]).filter(
    (field): field is Field => field !== "action" && has(field) && !all.includes(field),
  ); // the keys of an object of this type
  if (extra.length === 0) return undefined;
  const takes = all.length === 0 ? "nothing" : all.join(", ");
  return `${given.action} does not take ${extra.join(", ")} (it takes ${takes})`;
}
