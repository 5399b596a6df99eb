import { eraseText } from "../composer/update.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { closeHelp } from "../overlays/help/rows.js";
import { HELP } from "../overlays/help/state.js";
import { OPENERS } from "../overlays/openers.js";
import { openPalette } from "../overlays/palette/update.js";
import { requestQuit } from "../overlays/quit/update.js";
import { openSessions } from "../overlays/sessions/update.js";
import { focusQuestion } from "../questions/acts.js";
import { liveRuns } from "../runs/list.js";
import type { Step } from "./define-pane.js";
import { cancelOrQuit, escaped, escapeTwice } from "./escape-order.js";
import { focusOn } from "./focus.js";
import { PANE_TRAITS, PANES, type Pane } from "./panes.gen.js";
import { type Binding, type Context, type Focus, type State, showMessage, type Updated } from "./state.js";

const RING: readonly Focus[] = ["composer", ...PANES];

const ring = (state: State, by: number): State =>
  focusOn(state, RING[(RING.indexOf(state.focus) + by + RING.length) % RING.length] ?? "composer");

const go =
  (change: (state: State) => State) =>
  (state: State): Updated => [change(state), []];
const zoom = go((state) => ({ ...state, zoom: !state.zoom }));
const help = go((state) =>
  state.overlay?.kind === "help" ? closeHelp(state) : { ...state, overlay: HELP, below: state.overlay },
);

const paneKey = (pane: Pane): Binding => ({
  id: `pane.${pane}`,
  context: "everywhere",
  keys: PANE_TRAITS[pane].keys,
  label: PANE_TRAITS[pane].title,
  act: go((state) => focusOn(state, pane)),
});

/** Keys that act wherever the focus is. */
const EVERYWHERE: readonly Binding[] = [
  { id: "help", context: "everywhere", keys: ["f1"], label: "help", hint: "F1 help", over: true, act: help },
  {
    id: "palette",
    context: "everywhere",
    keys: ["ctrl+p"],
    label: "palette",
    hint: "^P palette",
    act: (state) => openPalette(state),
  },
  {
    id: "sessions",
    context: "everywhere",
    keys: ["ctrl+o"],
    label: "sessions",
    hint: "^O sessions",
    slash: "sessions",
    act: openSessions,
  },
  ...OPENERS,
  ...PANES.map(paneKey),
  {
    id: "composer",
    context: "everywhere",
    keys: ["alt+0"],
    label: "type",
    act: go((state) => focusOn(state, "composer")),
  },
  { id: "question", context: "everywhere", keys: ["alt+a"], label: "go to the open question", act: focusQuestion },
  {
    id: "focus.next",
    context: "everywhere",
    keys: ["f6", "tab"],
    label: "next pane",
    hint: "Tab next pane",
    act: go((state) => ring(state, 1)),
  },
  {
    id: "focus.prev",
    context: "everywhere",
    keys: ["shift+f6", "shift+tab"],
    label: "previous pane",
    act: go((state) => ring(state, -1)),
  },
  { id: "zoom", context: "everywhere", keys: ["f8", "alt+z"], label: "zoom", hint: "F8 zoom", act: zoom },
  {
    id: "interrupt",
    context: "everywhere",
    keys: ["ctrl+c"],
    label: "interrupt, clear, quit",
    hint: "^C interrupt",
    over: true,
    act: cancelOrQuit,
  },
  {
    id: "interrupt.escape",
    context: "everywhere",
    keys: ["escape"],
    label: "press twice to interrupt",
    own: true,
    act: escapeTwice,
  },
  {
    id: "redraw",
    context: "everywhere",
    keys: ["ctrl+l"],
    label: "redraw",
    over: true,
    act: (state) => [state, [{ do: "redraw" }]],
  },
  { id: "suspend", context: "everywhere", keys: ["ctrl+z"], label: "suspend", over: true, act: requestSuspend },
  {
    id: "quit",
    context: "composer",
    keys: ["ctrl+d"],
    label: "quit when empty, else delete",
    act: (state) => (state.composer.editor.text === "" ? requestQuit(state) : [eraseText(state, "right", false), []]),
  },
];

const TWICE_MS = 2_000; // workspace part, 1

/** Ctrl+Z: at once as a client; the owner stops everybody's work with itself, so it says that and wants to be asked twice. */
function requestSuspend(state: State): Updated {
  const work = state.owner ? running(state) : [];
  if (work.length === 0 || state.suspendArmed !== undefined)
    return [{ ...state, suspendArmed: undefined }, [{ do: "suspend" }]];
  const warned = showMessage(
    state,
    `${work.join(" and ")} would be paused; press Ctrl+Z again to suspend`,
    true,
    TWICE_MS,
  );
  return [{ ...warned, suspendArmed: state.now + TWICE_MS }, []];
}

/** What would stand still, in words. */
function running(state: State): readonly string[] {
  const { session } = state;
  const active = liveRuns(state);
  return [
    ...(session.turnSince === undefined ? [] : ["the turn"]),
    ...(active === 0 ? [] : [`${active} ${active === 1 ? "run" : "runs"}`]),
  ];
}

type Row = readonly [step: Step, keys: readonly string[], label: string];

const STEPS: readonly Row[] = [
  ["up", ["up", "k"], "up"],
  ["down", ["down", "j"], "down"],
  ["pageUp", ["pageup"], "page up"],
  ["pageDown", ["pagedown"], "page down"],
  ["halfUp", ["ctrl+u"], "half a page up"],
  ["halfDown", ["ctrl+d"], "half a page down"],
  ["first", ["home", "g"], "first"],
  ["last", ["end", "G"], "last, follow"],
];

function stepped(state: State, pane: Pane, step: Step): Updated {
  const kind = PANE_DEFINITIONS[pane];
  const next = kind.move(state, step);
  return [next, kind.wants?.(state, next) ?? []];
}

const stepKey = (context: Context, [step, keys, label]: Row): Binding => ({
  id: `list.${step}`,
  context,
  keys,
  label,
  act: (state) => stepped(state, state.focus === "composer" ? "chat" : state.focus, step),
});

/** Keys of every pane. */
const LIST: readonly Binding[] = [
  {
    id: "composer",
    context: "list",
    keys: ["escape", "i"],
    label: "type",
    hint: "i type",
    act: go((state) => escaped(focusOn(state, "composer"))),
  },
  { id: "help", context: "list", keys: ["?"], label: "help", act: help },
  { id: "palette", context: "list", keys: [":"], label: "palette", act: (state) => openPalette(state) },
  ...STEPS.map((row) => stepKey("list", row)),
  {
    id: "refresh",
    context: "list",
    keys: ["r"],
    label: "refresh",
    hint: "r refresh",
    act: (state) => [state, [{ do: "reload" }]],
  },
  { id: "zoom", context: "list", keys: ["z"], label: "zoom", act: zoom },
];

/** The chat scrolls while the user types. */
const BESIDE: readonly Binding[] = [
  stepKey("composer", ["pageUp", ["pageup"], "scroll the chat up"]),
  stepKey("composer", ["pageDown", ["pagedown"], "scroll the chat down"]),
];

export const SHARED_KEYS: readonly Binding[] = [...EVERYWHERE, ...LIST, ...BESIDE];
