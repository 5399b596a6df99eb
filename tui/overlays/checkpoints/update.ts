import type { CheckpointDiff, CheckpointRow, RestoreReport } from "../../../lib/contracts/owner/checkpoints.js";
import type { CallResult, Effect } from "../../model/messages.js";
import { type Binding, type Reducer, type State, showMessage, type Updated } from "../../model/state.js";
import { roomOf } from "../overlay-size.js";
import { current, diffOf, lastTop } from "./rows.js";
import { CHECKPOINTS, type CheckpointsOverlay } from "./state.js";

const ROWS = "checkpoints.rows";
const DIFF = "checkpoints.diff";
const DONE = "checkpoints.done";
const PAGE = 10;
const MOST = 200;

const inCheckpoints =
  (change: (state: State, overlay: CheckpointsOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "checkpoints" ? change(state, state.overlay) : [state, []];

const showing = (state: State, overlay: CheckpointsOverlay, effects: readonly Effect[] = []): Updated => [
  { ...state, overlay },
  effects,
];

const ask = ({ cwd }: State): Effect => ({
  do: "call",
  method: "checkpoint.list",
  params: { directory: cwd || ".", limit: MOST },
  to: ROWS,
  reads: true,
});

export const openCheckpoints = (state: State): Updated => showing(state, CHECKPOINTS, [ask(state)]);

function goTo(state: State, overlay: CheckpointsOverlay, to: number): Updated {
  const last = overlay.rows.state === "ready" ? overlay.rows.rows.length - 1 : 0;
  const next = { ...overlay, at: Math.max(0, Math.min(last, to)), top: 0, asking: false };
  const row = current(next);
  if (row === undefined || diffOf(next) !== undefined) return showing(state, next);
  return showing(state, next, [
    { do: "call", method: "checkpoint.diff", params: { which: row.id }, to: `${DIFF}:${row.id}`, reads: true },
  ]);
}

const reading = ({ overlay }: State): boolean => overlay?.kind === "checkpoints" && !overlay.asking;
const moved = (to: (at: number) => number) => inCheckpoints((state, overlay) => goTo(state, overlay, to(overlay.at)));
/** The difference, `by` rows further. */
export const scrolled = (by: number) =>
  inCheckpoints((state, overlay) => {
    const last = lastTop(overlay, roomOf(state));
    return showing(state, { ...overlay, top: Math.max(0, Math.min(last, Math.min(overlay.top, last) + by)) });
  });

/** Asked only when it is known what would change. */
const restoring = inCheckpoints((state, overlay) => {
  const diff = diffOf(overlay);
  if (diff === undefined) return [showMessage(state, "still comparing"), []];
  if ("error" in diff) return [showMessage(state, diff.error, true), []];
  if (diff.of.changes.length === 0) return [showMessage(state, "nothing would change"), []];
  return showing(state, { ...overlay, asking: true });
});

/** `r` goes back, `f` also where others have changed something; every other key leaves all as it is. */
export function typedIn(state: State, overlay: CheckpointsOverlay, text: string, pasted: boolean): Updated {
  const row = current(overlay);
  if (!overlay.asking || pasted || row === undefined) return [state, []];
  const next = { ...overlay, asking: false };
  const letter = text.charAt(0);
  if (letter !== "r" && letter !== "f") return showing(state, next);
  const { id } = state.session;
  const params = { which: row.id, force: letter === "f", ...(id === undefined ? {} : { session_id: id }) };
  return showing(showMessage(state, "restoring…"), next, [
    { do: "call", method: "checkpoint.restore", params, to: DONE },
  ]);
}

/** A press marks a checkpoint; on the marked one it asks whether to restore it. */
export const pressed = (at: number) =>
  inCheckpoints((state, overlay) =>
    overlay.asking ? [state, []] : at === overlay.at ? restoring(state) : goTo(state, overlay, at),
  );

/** A press on one of the answers: its letter. */
export const answered = (letter: string) => inCheckpoints((state, overlay) => typedIn(state, overlay, letter, false));

const escaped = inCheckpoints((state, overlay) => {
  if (overlay.asking) return showing(state, { ...overlay, asking: false });
  return overlay.detail
    ? showing(state, { ...overlay, detail: false, top: 0 })
    : [{ ...state, overlay: undefined }, []];
});

const row = (id: string, keys: readonly string[], label: string, act: Binding["act"]): Binding => ({
  id: `checkpoints.${id}`,
  context: "checkpoints",
  keys,
  label,
  act,
  when: reading,
});

export const CHECKPOINTS_KEYS: readonly Binding[] = [
  row("restore", ["enter"], "restore it", restoring),
  row(
    "detail",
    ["tab", "d"],
    "list or difference",
    inCheckpoints((state, overlay) => showing(state, { ...overlay, detail: !overlay.detail, top: 0 })),
  ),
  row("refresh", ["r"], "refresh", (state) => [state, [ask(state)]]),
  row(
    "up",
    ["up", "k"],
    "up",
    moved((at) => at - 1),
  ),
  row(
    "down",
    ["down", "j"],
    "down",
    moved((at) => at + 1),
  ),
  row(
    "first",
    ["home", "g"],
    "first",
    moved(() => 0),
  ),
  row(
    "last",
    ["end", "G"],
    "last",
    moved(() => MOST),
  ),
  row("pageUp", ["pageup"], "scroll the difference up", scrolled(-PAGE)),
  row("pageDown", ["pagedown"], "scroll the difference down", scrolled(PAGE)),
  {
    id: "checkpoints.back",
    context: "checkpoints",
    keys: ["escape"],
    label: "back, close",
    hint: "Esc close",
    act: escaped,
  },
];

/** What the owner tells of checkpoints. */
export const checkpointsReducer: Reducer = (state, message) => {
  const { overlay } = state;
  if (message.type !== "called" || overlay?.kind !== "checkpoints") return undefined;
  if (message.to === ROWS) return rowsCame(state, overlay, message);
  if (message.to === DONE) return restored(state, message);
  return message.to.startsWith(`${DIFF}:`) ? diffCame(state, overlay, message) : undefined;
};

function rowsCame(state: State, overlay: CheckpointsOverlay, message: CallResult): Updated {
  if (!message.ok) return showing(state, { ...overlay, rows: { state: "failed", message: message.message } });
  const rows = message.result as readonly CheckpointRow[]; // the owner's answer to checkpoint.list
  return goTo(state, { ...overlay, rows: { state: "ready", rows }, diff: undefined }, overlay.at);
}

function diffCame(state: State, overlay: CheckpointsOverlay, message: CallResult): Updated {
  const id = message.to.slice(DIFF.length + 1);
  if (!message.ok) return showing(state, { ...overlay, diff: { id, error: message.message } });
  return showing(state, { ...overlay, diff: { id, of: message.result as CheckpointDiff } }); // the owner's answer to checkpoint.diff
}

function restored(state: State, message: CallResult): Updated {
  if (!message.ok) return [showMessage(state, message.message, true), []];
  const { restored: back, removed, skipped, failed, before } = message.result as RestoreReport; // the owner's answer to checkpoint.restore
  const parts = [
    `${back.length} restored`,
    `${removed.length} removed`,
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ];
  const bad = failed.length > 0 ? `, ${failed.length} failed: ${failed[0]?.path ?? ""}` : "";
  return [showMessage(state, `${parts.join(", ")}${bad}; ${before} undoes it`, failed.length > 0), [ask(state)]];
}
