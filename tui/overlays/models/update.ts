import type { ModelRow } from "../../../lib/proto/model-rows.js";
import { asked } from "../../chat/update.js";
import { type Editor, EMPTY, insert } from "../../composer/editor.js";
import type { Effect } from "../../messages.js";
import { sanitizeLine } from "../../sanitize.js";
import { type Room, type State, say, type Updated } from "../../state.js";
import { match, pattern } from "../fuzzy.js";
import { MODELS, type ModelsOverlay } from "./state.js";

const ROWS = "models.rows";
const TESTED = "models.tested";
const STORED = "models.stored";

const inModels =
  (change: (state: State, overlay: ModelsOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "models" ? change(state, state.overlay) : [state, []];

const showing = (state: State, overlay: ModelsOverlay, effects: readonly Effect[] = []): Updated => [{ ...state, overlay }, effects];

const ask = ({ session }: State, refresh: boolean): Effect => ({
  ...{ do: "call", method: "models.list", to: ROWS, reads: true },
  params: { refresh, ...(session.id === undefined ? {} : { session_id: session.id }) },
});

export const openModels = (state: State): Updated => showing(state, MODELS, [ask(state, false)]);

export interface FoundModel {
  readonly row: ModelRow;
  readonly marks: readonly number[];
}

/** What a row is called: its alias, its model, or the provider that has none. */
export const labelOf = ({ name, model, notes, provider }: ModelRow): string => (notes.includes("alias") ? name : model || provider);

export function foundModels({ rows, filter }: ModelsOverlay): readonly FoundModel[] {
  if (rows.state !== "ready") return [];
  const given = pattern(filter.text);
  return rows.rows.flatMap((row) => {
    const own = match(given, labelOf(row));
    if (own !== undefined) return [{ row, marks: own.at }];
    return match(given, `${row.provider} ${row.notes.join(" ")}`) === undefined ? [] : [{ row, marks: [] }];
  });
}

const chosen = (overlay: ModelsOverlay): ModelRow | undefined => foundModels(overlay)[overlay.at]?.row;

export const moved = (by: number) =>
  inModels((state, overlay) =>
    showing(state, { ...overlay, at: Math.max(0, Math.min(foundModels(overlay).length - 1, overlay.at + by)), note: undefined }),
  );

export const editLine = (state: State, edit: (editor: Editor) => Editor): Updated =>
  inModels((now, overlay) => {
    const { secret } = overlay;
    if (secret !== undefined) return showing(now, { ...overlay, secret: { ...secret, input: edit(secret.input) } });
    return showing(now, { ...overlay, filter: edit(overlay.filter), at: 0, note: undefined });
  })(state);

export const typedIn = (state: State, _overlay: ModelsOverlay, text: string): Updated =>
  editLine(state, (editor) => insert(editor, text.replace(/[\x00-\x1f\x7f]+/g, "").slice(0, 4_096)));

/** A press marks a model; on the marked one it uses it. */
export const pressed = (at: number) =>
  inModels((state, overlay) => (at === overlay.at ? entered(false)(state) : moved(at - overlay.at)(state)));

/** Use it in this conversation, with `global` in new ones too; what is typed as a key is stored. */
export const entered = (global: boolean) =>
  inModels((state, overlay) => {
    const { secret } = overlay;
    if (secret !== undefined) return stored(state, overlay, secret);
    const row = chosen(overlay);
    if (row === undefined) return [state, []];
    if (row.problem !== "") return showing(state, { ...overlay, note: { text: `${row.provider}: ${row.problem}`, error: true } });
    const text = `/model ${row.name}${global ? " --global" : ""}`;
    const [chat, id] = asked(state.chat, text);
    return [{ ...state, overlay: undefined, chat }, [{ do: "command", text, id }]];
  });

/** The key leaves the state with the request. */
function stored(state: State, overlay: ModelsOverlay, { provider, input }: NonNullable<ModelsOverlay["secret"]>): Updated {
  const key = input.text.trim();
  if (key === "") return showing(state, { ...overlay, secret: undefined });
  const next = { ...overlay, secret: undefined, note: { text: "storing the key…", error: false } };
  return showing(state, next, [{ do: "call", method: "models.set_key", params: { provider, key }, to: STORED }]);
}

export const askKey = inModels((state, overlay) => {
  const row = chosen(overlay);
  if (row === undefined) return [state, []];
  if (row.provider === "offline") return showing(state, { ...overlay, note: { text: "the stand-in needs no key", error: false } });
  return showing(state, { ...overlay, secret: { provider: row.provider, input: EMPTY }, note: undefined });
});

export const test = inModels((state, overlay) => {
  const row = chosen(overlay);
  if (row === undefined) return [state, []];
  const next = { ...overlay, note: { text: `asking ${row.provider}…`, error: false } };
  return showing(state, next, [{ do: "call", method: "models.test", params: { provider: row.provider }, to: TESTED, reads: true }]);
});

export const refresh = inModels((state, overlay) =>
  showing(state, { ...overlay, note: { text: "asking the providers…", error: false } }, [ask(state, true)]),
);

export const escaped = inModels((state, overlay) =>
  overlay.secret === undefined ? [{ ...state, overlay: undefined }, []] : showing(state, { ...overlay, secret: undefined }),
);

/** What the owner tells for the model picker. */
export const MODELS_ROOM: Room = {
  update: (state, message) => {
    const { overlay } = state;
    if (message.type !== "called" || overlay?.kind !== "models" || ![ROWS, TESTED, STORED].includes(message.to)) return undefined;
    if (!message.ok) {
      if (message.to === ROWS) return showing(state, { ...overlay, rows: { state: "failed", message: message.message } });
      return showing(state, { ...overlay, note: { text: message.message, error: true } });
    }
    if (message.to === ROWS)
      return showing(state, { ...overlay, note: undefined, rows: { state: "ready", rows: cleaned(message.result) } });
    if (message.to === TESTED) {
      const { ok, ms, text } = message.result as { ok: boolean; ms: number; text: string }; // the owner's answer to models.test
      return showing(state, { ...overlay, note: { text: `${sanitizeLine(text)} (${ms} ms)`, error: !ok } });
    }
    const { stored: name } = message.result as { stored: string }; // the owner's answer to models.set_key
    return showing(
      say(state, "the key is stored"),
      { ...overlay, note: { text: `stored as ${sanitizeLine(name)} of this home`, error: false } },
      [ask(state, true)],
    );
  },
};

function cleaned(result: unknown): readonly ModelRow[] {
  const rows = result as readonly ModelRow[]; // the owner's answer to models.list
  return rows.map((row) => ({
    ...row,
    ...{ name: sanitizeLine(row.name), provider: sanitizeLine(row.provider), model: sanitizeLine(row.model) },
    problem: sanitizeLine(row.problem),
  }));
}
