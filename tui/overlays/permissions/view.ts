import type { ListedRule } from "../../../lib/contracts/config/permissions.js";
import { age } from "../../draw/ages.js";
import { type RowOf, wrap } from "../../draw/canvas.js";
import { sanitizeLine } from "../../draw/sanitize.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { State } from "../../model/state.js";
import type { OverlayKind } from "../overlay.js";
import { wordSpots } from "../spots.js";
import { windowFrom } from "../window.js";
import type { PermissionsOverlay } from "./state.js";
import { answered, pressed, typedIn } from "./update.js";

const WIDEST = 110;

/** Each rule with the list it is of, its source and its last use; those that do not count are dimmed. */
export const PERMISSIONS_KIND: OverlayKind<PermissionsOverlay> = {
  context: "permissions",
  draw: (state, overlay, room) => {
    const width = Math.min(room.width, WIDEST);
    const below = belowRows(overlay, width);
    const height = Math.max(1, room.height - below.length);
    const { rows, marked, places } = ruleRows(state, overlay, width);
    const from = windowFrom(rows.length, height, marked);
    const shown = rows.slice(from, from + height);
    const asked = overlay.asking === undefined ? [] : below.map((row) => row.map(([, text]) => text).join(""));
    return {
      title: titleOf(overlay),
      width,
      rows: [...shown, ...below],
      foot: overlay.asking === undefined ? "x removes · r refreshes · Esc closes" : "r removes · any other key keeps",
      spots: [
        ...places.slice(from, from + height).flatMap((place, y) => (place < 0 ? [] : [{ y, act: pressed(place) }])),
        ...wordSpots(shown.length, asked, [
          ["[r]emove", answered("r")],
          ["[k]eep", answered("k")],
        ]),
      ],
      ...(rows.length > height ? { scroll: { top: from, shown: height, total: rows.length } } : {}),
    };
  },
  typed: typedIn,
};

const titleOf = ({ list }: PermissionsOverlay): string =>
  list === undefined
    ? "Permissions"
    : `Permissions · mode ${list.mode} · edits ${list.edits}${list.yolo ? " · approvals are off" : ""}`;

function belowRows({ asking, list, at }: PermissionsOverlay, width: number): RowOf[] {
  if (asking !== undefined)
    return wrap(
      `Remove ${asking.list}: ${sanitizeLine(asking.rule)} from ${sanitizeLine(asking.where)}? [r]emove [k]eep`,
      width - 2,
    ).map((line): RowOf => [[THEME.warn, ` ${line}`]]);
  const one = list?.rules[at];
  return one === undefined
    ? []
    : [
        [],
        ...wrap(`${sanitizeLine(one.rule)}  in ${sanitizeLine(one.where)}`, width - 2)
          .slice(0, 3)
          .map((line): RowOf => [[THEME.dim, ` ${line}`]]),
      ];
}

interface Rules {
  readonly rows: readonly RowOf[];
  readonly marked: number;
  /** Of the rule in each row; -1: it is a head. */
  readonly places: readonly number[];
}

function ruleRows(state: State, { list, error, at }: PermissionsOverlay, width: number): Rules {
  if (error !== "")
    return { rows: wrap(error, width - 2).map((line): RowOf => [[THEME.error, ` ${line}`]]), marked: 0, places: [] };
  if (list === undefined) return { rows: [[[THEME.dim, " loading…"]]], marked: 0, places: [] };
  if (list.rules.length === 0)
    return {
      rows: [[[THEME.dim, truncateToWidth(" no rules: you are asked before anything that needs permission", width)]]],
      marked: 0,
      places: [],
    };
  const rows: RowOf[] = [];
  const places: number[] = [];
  let source = "";
  let marked = 0;
  for (const [index, rule] of list.rules.entries()) {
    if (rule.source !== source) {
      source = rule.source;
      rows.push([[THEME.heading, SOURCES[rule.source]]]);
      places.push(-1);
    }
    if (index === at) marked = rows.length;
    rows.push(ruleRow(state, rule, index === at, width));
    places.push(index);
  }
  return { rows, marked, places };
}

const SOURCES: Readonly<Record<ListedRule["source"], string>> = {
  user: "yours",
  project: "of the project",
  session: "of this conversation",
};
const LISTS: Readonly<Record<ListedRule["list"], number>> = { allow: THEME.ok, ask: THEME.warn, deny: THEME.error };

function ruleRow(
  { wall }: State,
  { list, rule, last_used: used, counts }: ListedRule,
  marked: boolean,
  width: number,
): RowOf {
  const facts = `${counts ? "" : "  not trusted"}${used === null ? "" : `  used ${age(Math.max(0, wall - used))} ago`}`;
  const cells = Math.max(4, width - 8 - textCells(facts));
  const text = truncateToWidth(sanitizeLine(rule), cells);
  return [
    [marked ? THEME.accent : THEME.text, marked ? "› " : "  "],
    [LISTS[list], list.padEnd(6)],
    [marked ? THEME.selection : counts ? THEME.text : THEME.dim, `${text}${" ".repeat(cells - textCells(text))}`],
    [THEME.dim, facts],
  ];
}
