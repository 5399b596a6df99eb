import type { ContextReport } from "../../../lib/contracts/chat/usage.js";
import { sanitize } from "../../draw/sanitize.js";
import type { Binding, Reducer, State, Updated } from "../../model/state.js";
import { roomOf } from "../overlay-size.js";
import { lastTop } from "./rows.js";
import { USAGE, type UsageOverlay, type UsageScope, type UsageTab } from "./state.js";

const ANSWER = "usage.answer";
const PAGE = 10;

const inUsage =
  (change: (state: State, overlay: UsageOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "usage" ? change(state, state.overlay) : [state, []];

/** Ask for the table of a tab; what was there goes. */
function asked(state: State, overlay: UsageOverlay): Updated {
  const { tab, scope } = overlay;
  const next = { ...overlay, text: undefined, error: false, report: undefined, top: 0 };
  const { id } = state.session;
  const params = {
    text: tab === "context" ? "/context" : `/cost ${scope}`,
    data: true,
    columns: 100,
    ...(id === undefined ? {} : { session_id: id }),
  };
  return [
    { ...state, overlay: next },
    [{ do: "call", method: "command.run", params, to: `${ANSWER}:${tab}:${scope}` }],
  ];
}

export const openUsage =
  (tab: UsageTab) =>
  (state: State): Updated =>
    asked(state, { ...USAGE, tab });

const scrolled = (to: (top: number) => number) =>
  inUsage((state, overlay) => {
    const last = lastTop(overlay, roomOf(state));
    return [
      { ...state, overlay: { ...overlay, top: Math.max(0, Math.min(last, to(Math.min(overlay.top, last)))) } },
      [],
    ];
  });

/** A press on a tab shows it. */
export const tabPressed = (tab: UsageTab) =>
  inUsage((state, overlay) => (overlay.tab === tab ? [state, []] : asked(state, { ...overlay, tab })));

const scope = (one: UsageScope, keys: readonly string[], label: string): Binding => ({
  id: `usage.${one}`,
  context: "usage",
  keys,
  label,
  act: inUsage((state, overlay) => asked(state, { ...overlay, tab: "cost", scope: one })),
});

const other = inUsage((state, overlay) =>
  asked(state, { ...overlay, tab: overlay.tab === "context" ? "cost" : "context" }),
);

export const USAGE_KEYS: readonly Binding[] = [
  {
    id: "usage.other",
    context: "usage",
    keys: ["tab", "shift+tab", "left", "right"],
    label: "context or cost",
    act: other,
  },
  scope("session", ["s"], "cost of this conversation"),
  scope("today", ["t"], "cost of today"),
  scope("week", ["w"], "cost of a week"),
  scope("all", ["a"], "cost of everything"),
  { id: "usage.refresh", context: "usage", keys: ["r"], label: "refresh", act: inUsage(asked) },
  { id: "usage.up", context: "usage", keys: ["up", "k"], label: "up", act: scrolled((top) => top - 1) },
  { id: "usage.down", context: "usage", keys: ["down", "j"], label: "down", act: scrolled((top) => top + 1) },
  { id: "usage.pageUp", context: "usage", keys: ["pageup"], label: "page up", act: scrolled((top) => top - PAGE) },
  {
    id: "usage.pageDown",
    context: "usage",
    keys: ["pagedown"],
    label: "page down",
    act: scrolled((top) => top + PAGE),
  },
];

/** The table of the tab that is shown; one of another tab comes too late. */
export const usageReducer: Reducer = (state, message) => {
  const { overlay } = state;
  if (
    message.type !== "called" ||
    overlay?.kind !== "usage" ||
    message.to !== `${ANSWER}:${overlay.tab}:${overlay.scope}`
  )
    return undefined;
  if (!message.ok) return [{ ...state, overlay: { ...overlay, text: message.message, error: true } }, []];
  const { text, exit, data } = message.result as { text: string; exit: number; data?: unknown }; // the owner's answer to command.run
  const report = overlay.tab === "context" && exit === 0 ? (data as ContextReport | undefined) : undefined; // what /context tells for machines
  return [{ ...state, overlay: { ...overlay, text: sanitize(text), error: exit !== 0, report } }, []];
};
