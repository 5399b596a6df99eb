import { type Editor, EMPTY, insert, replaceAll } from "../../composer/editor.js";
import type { Effect } from "../../model/messages.js";
import type { State, Updated } from "../../model/state.js";
import { ownEntries } from "./entries.js";
import { search } from "./search.js";
import { type Entry, PALETTE, type PaletteOverlay } from "./state.js";
import { type Verb, verbsOf } from "./verbs.js";

export const ITEMS = "palette.items";
export const COMMANDS = "palette.commands";
export const MODELS = "palette.models";

/** Open it at once with what the screen knows; the rest is asked for and comes in. */
export function openPalette(state: State, input = ""): Updated {
  const { id } = state.session;
  const empty = { ...PALETTE, input: input === "" ? EMPTY : replaceAll(EMPTY, input), entries: ownEntries(state) };
  const asking = (method: string, to: string, params: Readonly<Record<string, unknown>> = {}): Effect => ({
    do: "call",
    method,
    params,
    to,
    reads: true,
  });
  return [
    { ...state, overlay: found(empty) },
    [
      asking("palette.items", ITEMS, id === undefined ? {} : { session_id: id }),
      asking("command.list", COMMANDS, { surface: "slash", ...(state.cwd === "" ? {} : { cwd: state.cwd }) }),
      asking("palette.models", MODELS),
    ],
  ];
}

/** With what its input finds now. */
export const found = (overlay: PaletteOverlay): PaletteOverlay => ({ ...overlay, hits: search(overlay) });

const inPalette =
  (change: (state: State, overlay: PaletteOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "palette" ? change(state, state.overlay) : [state, []];

const showing = (state: State, overlay: PaletteOverlay): Updated => [{ ...state, overlay }, []];

/** The line of input that is edited: what is looked for, or the value that is asked for. */
export const editInput = (state: State, edit: (editor: Editor) => Editor): Updated =>
  inPalette((now, overlay) => {
    const { asking } = overlay;
    if (asking !== undefined) return showing(now, { ...overlay, asking: { ...asking, input: edit(asking.input) } });
    const input = edit(overlay.input);
    const next = { ...overlay, input, actions: undefined };
    return showing(now, input.text === overlay.input.text ? next : found({ ...next, at: 0 }));
  })(state);

export const typedIn = (state: State, _overlay: PaletteOverlay, text: string): Updated =>
  editInput(state, (editor) => insert(editor, text.replace(/[\x00-\x1f\x7f]+/g, " ").slice(0, 4_096)));

/** The mark goes through what was found, or through the actions. */
export const moved = (by: number) =>
  inPalette((state, overlay) => {
    const { actions, hits } = overlay;
    if (actions !== undefined) {
      const last = verbsOf(actions.entry).length - 1;
      return showing(state, { ...overlay, actions: { ...actions, at: within(actions.at + by, last) } });
    }
    return showing(state, { ...overlay, at: within(overlay.at + by, hits.length - 1) });
  });

const within = (at: number, last: number): number => Math.max(0, Math.min(last, at));

/** A press on what was found, or on one of the actions, does it. */
export const pressed = (at: number) =>
  inPalette((state, overlay) => {
    const { actions } = overlay;
    return enter(false)({
      ...state,
      overlay: { ...overlay, ...(actions === undefined ? { at } : { actions: { ...actions, at } }) },
    });
  });

/** The actions of the marked entry. */
export const showActions = inPalette((state, overlay) => {
  const entry = overlay.hits[overlay.at]?.entry;
  if (entry === undefined || overlay.asking !== undefined) return [state, []];
  return showing(state, { ...overlay, actions: overlay.actions === undefined ? { entry, at: 0 } : undefined });
});

/** Back from a value or the actions to what was found; from there the palette closes. */
export const back = inPalette((state, overlay) => {
  if (overlay.asking !== undefined) return showing(state, { ...overlay, asking: undefined });
  if (overlay.actions !== undefined) return showing(state, { ...overlay, actions: undefined });
  return [{ ...state, overlay: undefined }, []];
});

/** Do what is marked, or ask for the value that it needs. `zoomed`: what it shows gets the whole screen. */
export const enter = (zoomed: boolean) =>
  inPalette((state, overlay) => {
    const { asking, actions } = overlay;
    if (asking !== undefined) return entered(state, overlay, zoomed);
    const entry = actions?.entry ?? overlay.hits[overlay.at]?.entry;
    const verb = entry === undefined ? undefined : verbsOf(entry)[actions?.at ?? 0];
    if (entry === undefined || verb === undefined) return [state, []];
    if (verb.ask === undefined) return done(state, entry, { verb, value: "", zoomed });
    const input = replaceAll(EMPTY, verb.first?.(entry) ?? "");
    return showing(state, { ...overlay, asking: { entry, verb: verb.name, prompt: verb.ask(entry), input } });
  });

function entered(state: State, { asking }: PaletteOverlay, zoomed: boolean): Updated {
  const value = asking?.input.text.trim() ?? "";
  const verb = asking === undefined ? undefined : verbsOf(asking.entry).find(({ name }) => name === asking.verb);
  if (asking === undefined || verb === undefined || (value === "" && asking.entry.kind !== "setting"))
    return [state, []];
  return done(state, asking.entry, { verb, value, zoomed });
}

interface Doing {
  readonly verb: Verb;
  readonly value: string;
  readonly zoomed: boolean;
}

function done(state: State, entry: Entry, { verb, value, zoomed }: Doing): Updated {
  const closed: State = { ...state, overlay: undefined, zoom: zoomed || state.zoom };
  const [next, effects] = verb.do(closed, entry, value);
  return [next, [...effects, { do: "call", method: "palette.used", params: { key: entry.key }, to: "palette.used" }]];
}
