import { splitGraphemes } from "../../draw/width.js";
import { type Binding, type State, showMessage, type Updated } from "../../model/state.js";
import { closeHelp, helpedContexts, helpRows } from "./rows.js";
import type { HelpOverlay } from "./state.js";

const PAGE = 10;

type Change = (state: State, overlay: HelpOverlay) => Updated;

const inside =
  (change: Change) =>
  (state: State): Updated =>
    state.overlay?.kind === "help" ? change(state, state.overlay) : [state, []];

const showing = (state: State, overlay: HelpOverlay): Updated => [{ ...state, overlay }, []];
const reading = ({ overlay }: State): boolean => overlay?.kind === "help" && !overlay.typing;
const close = (state: State): Updated => [closeHelp(state), []];

const moved = (to: (at: number, last: number) => number) =>
  inside((state, overlay) => {
    const last = Math.max(0, helpRows(state, overlay).length - 1);
    return showing(state, { ...overlay, at: Math.max(0, Math.min(last, to(Math.min(overlay.at, last), last))) });
  });

const filtered = (state: State, overlay: HelpOverlay, filter: string): Updated =>
  showing(state, { ...overlay, filter, at: 0 });

/** While the filter is typed letters belong to it. */
export const typedIn = (state: State, overlay: HelpOverlay, text: string): Updated =>
  overlay.typing
    ? filtered(state, overlay, `${overlay.filter}${text.replace(/[\x00-\x1f\x7f]+/g, " ")}`.slice(0, 64))
    : [state, []];

/** First the filter goes, then the overlay. */
const escaped = inside((state, overlay) =>
  overlay.typing || overlay.filter !== ""
    ? showing(state, { ...overlay, typing: false, filter: "", at: 0 })
    : close(state),
);

/** Do what the marked key does, where it would act with the focus as it is. */
const run = inside((state, overlay) => {
  if (overlay.typing) return showing(state, { ...overlay, typing: false });
  const found = helpRows(state, overlay)[overlay.at];
  if (found === undefined) return [state, []];
  const active = helpedContexts(state).includes(found.context) && found.when?.(closeHelp(state)) !== false;
  if (!active) return [showMessage(state, `that key works in ${found.context}`), []];
  return found.act(closeHelp(state));
});

/** A press marks a key; on the marked one it does it. */
export const pressed = (at: number) =>
  inside((state, overlay) =>
    overlay.at === at ? run({ ...state, overlay: { ...overlay, typing: false } }) : showing(state, { ...overlay, at }),
  );

const letters = (rows: readonly Omit<Binding, "context">[]): readonly Binding[] =>
  rows.map((row) => ({ ...row, context: "help", when: reading }));

export const HELP_KEYS: readonly Binding[] = [
  ...letters([
    { id: "help.upLetter", keys: ["k"], label: "up", act: moved((at) => at - 1) },
    { id: "help.downLetter", keys: ["j"], label: "down", act: moved((at) => at + 1) },
    { id: "help.firstLetter", keys: ["g"], label: "first", act: moved(() => 0) },
    { id: "help.lastLetter", keys: ["G"], label: "last", act: moved((_at, last) => last) },
    {
      id: "help.filter",
      keys: ["/"],
      label: "filter",
      hint: "/ filter",
      act: inside((state, overlay) => showing(state, { ...overlay, typing: true })),
    },
    { id: "help.closeLetter", keys: ["?", "q"], label: "close", act: close },
  ]),
  { id: "help.up", context: "help", keys: ["up", "shift+tab"], label: "up", act: moved((at) => at - 1) },
  { id: "help.down", context: "help", keys: ["down", "tab"], label: "down", act: moved((at) => at + 1) },
  { id: "help.pageUp", context: "help", keys: ["pageup"], label: "page up", act: moved((at) => at - PAGE) },
  { id: "help.pageDown", context: "help", keys: ["pagedown"], label: "page down", act: moved((at) => at + PAGE) },
  { id: "help.first", context: "help", keys: ["home"], label: "first", act: moved(() => 0) },
  { id: "help.last", context: "help", keys: ["end"], label: "last", act: moved((_at, last) => last) },
  { id: "help.run", context: "help", keys: ["enter"], label: "run it", hint: "Enter run", act: run },
  {
    id: "help.erase",
    context: "help",
    keys: ["backspace", "ctrl+h"],
    label: "delete backward",
    act: inside((state, overlay) => filtered(state, overlay, splitGraphemes(overlay.filter).slice(0, -1).join(""))),
  },
  {
    id: "help.clear",
    context: "help",
    keys: ["ctrl+u"],
    label: "clear the filter",
    act: inside((state, overlay) => filtered(state, overlay, "")),
  },
  {
    id: "help.escape",
    context: "help",
    keys: ["escape"],
    label: "clear the filter, close",
    hint: "Esc close",
    act: escaped,
  },
  { id: "help.close", context: "help", keys: ["f1"], label: "close", act: close },
];
