import type { ModelRow, ProviderSetUp } from "../../../lib/contracts/models/model-rows.js";
import { addCommand } from "../../chat/update.js";
import { type Editor, EMPTY, insert } from "../../composer/editor.js";
import { sanitizeLine } from "../../draw/sanitize.js";
import type { Effect } from "../../model/messages.js";
import { type Reducer, type State, showMessage, type Updated } from "../../model/state.js";
import { match, pattern } from "../fuzzy.js";
import { MODELS, type ModelsEntry, type ModelsOverlay } from "./state.js";

const ROWS = "models.rows";
const TESTED = "models.tested";
const STORED = "models.stored";
const SET_UP = "models.set_up";

const inModels =
  (change: (state: State, overlay: ModelsOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "models" ? change(state, state.overlay) : [state, []];

const showing = (state: State, overlay: ModelsOverlay, effects: readonly Effect[] = []): Updated => [
  { ...state, overlay },
  effects,
];

const ask = ({ session }: State, refresh: boolean): Effect => ({
  do: "call",
  method: "models.list",
  to: ROWS,
  reads: true,
  params: { refresh, ...(session.id === undefined ? {} : { session_id: session.id }) },
});

export const openModels = (state: State): Updated => showing(state, MODELS, [ask(state, false)]);

export interface FoundModel {
  readonly row: ModelRow;
  readonly marks: readonly number[];
}

/** What a row is called: its alias, its model, or the provider without any. */
export const labelOf = ({ name, model, notes, provider, label }: ModelRow): string =>
  notes.includes("alias") ? name : (label ?? (model || provider));

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
    showing(state, {
      ...overlay,
      at: Math.max(0, Math.min(foundModels(overlay).length - 1, overlay.at + by)),
      note: undefined,
    }),
  );

export const editLine = (state: State, edit: (editor: Editor) => Editor): Updated =>
  inModels((now, overlay) => {
    const { entry } = overlay;
    if (entry !== undefined) return showing(now, { ...overlay, entry: { ...entry, input: edit(entry.input) } });
    return showing(now, { ...overlay, filter: edit(overlay.filter), at: 0, note: undefined });
  })(state);

export const typedIn = (state: State, _overlay: ModelsOverlay, text: string): Updated =>
  editLine(state, (editor) => insert(editor, text.replace(/[\x00-\x1f\x7f]+/g, "").slice(0, 4_096)));

/** A press marks a model; on the marked one it uses it. */
export const pressed = (at: number) =>
  inModels((state, overlay) => (at === overlay.at ? entered(false)(state) : moved(at - overlay.at)(state)));

/** Use it in this conversation, with `global` in new ones too; what is typed for a provider goes to the owner. */
export const entered = (global: boolean) =>
  inModels((state, overlay) => {
    const { entry } = overlay;
    if (entry !== undefined) return sendEntry(state, overlay, entry);
    const row = chosen(overlay);
    if (row === undefined) return [state, []];
    if (row.needs !== undefined) return setUp(state, overlay, row);
    if (row.problem !== "")
      return showing(state, { ...overlay, note: { text: `${row.provider}: ${row.problem}`, error: true } });
    const text = `/model ${row.name}${global ? " --global" : ""}`;
    const [chat, id] = addCommand(state.chat, text);
    return [{ ...state, overlay: undefined, chat }, [{ do: "command", text, id }]];
  });

/** A provider that the settings do not have yet: ask for what it needs, or add it. */
function setUp(state: State, overlay: ModelsOverlay, row: ModelRow): Updated {
  const label = labelOf(row);
  if (row.needs === "nothing") return addProvider(state, overlay, { label, params: { provider: row.provider } });
  const kind = row.needs === "address" ? "address" : "key";
  return showing(state, {
    ...overlay,
    entry: { kind, provider: row.provider, label, isNew: true, input: EMPTY },
    note: undefined,
  });
}

function addProvider(
  state: State,
  overlay: ModelsOverlay,
  { label, params }: { readonly label: string; readonly params: Readonly<Record<string, string>> },
): Updated {
  const next = { ...overlay, entry: undefined, note: { text: `listing the models of ${label}…`, error: false } };
  return showing(state, next, [{ do: "call", method: "models.set_up", params, to: SET_UP }]);
}

/** A key leaves the state with the request. A server of this machine may do without. */
function sendEntry(state: State, overlay: ModelsOverlay, entry: ModelsEntry): Updated {
  const { provider, label, isNew, baseUrl } = entry;
  const text = entry.input.text.trim();
  if (entry.kind === "address") {
    if (text === "") return showing(state, { ...overlay, entry: undefined });
    return showing(state, { ...overlay, entry: { ...entry, kind: "key", baseUrl: text, input: EMPTY } });
  }
  if (baseUrl !== undefined)
    return addProvider(state, overlay, {
      label: baseUrl,
      params: { provider, base_url: baseUrl, ...(text === "" ? {} : { key: text }) },
    });
  if (text === "") return showing(state, { ...overlay, entry: undefined });
  if (isNew) return addProvider(state, overlay, { label, params: { provider, key: text } });
  const next = { ...overlay, entry: undefined, note: { text: "storing the key…", error: false } };
  return showing(state, next, [{ do: "call", method: "models.set_key", params: { provider, key: text }, to: STORED }]);
}

export const askKey = inModels((state, overlay) => {
  const row = chosen(overlay);
  if (row === undefined) return [state, []];
  if (row.needs === "address") return setUp(state, overlay, row);
  const { provider } = row;
  if (provider === "offline")
    return showing(state, { ...overlay, note: { text: "the offline assistant needs no key", error: false } });
  const entry: ModelsEntry = {
    kind: "key",
    provider,
    label: row.label ?? provider,
    isNew: row.needs !== undefined,
    input: EMPTY,
  };
  return showing(state, { ...overlay, entry, note: undefined });
});

export const test = inModels((state, overlay) => {
  const row = chosen(overlay);
  if (row === undefined) return [state, []];
  const next = { ...overlay, note: { text: `testing ${row.provider}…`, error: false } };
  return showing(state, next, [
    { do: "call", method: "models.test", params: { provider: row.provider }, to: TESTED, reads: true },
  ]);
});

export const refresh = inModels((state, overlay) =>
  showing(state, { ...overlay, note: { text: "listing models…", error: false } }, [ask(state, true)]),
);

export const escaped = inModels((state, overlay) =>
  overlay.entry === undefined
    ? [{ ...state, overlay: undefined }, []]
    : showing(state, { ...overlay, entry: undefined }),
);

/** What the owner tells for the model picker. */
export const modelsReducer: Reducer = (state, message) => {
  const { overlay } = state;
  if (message.type !== "called" || overlay?.kind !== "models" || ![ROWS, TESTED, STORED, SET_UP].includes(message.to))
    return undefined;
  if (!message.ok) {
    if (message.to === ROWS) return showing(state, { ...overlay, rows: { state: "failed", message: message.message } });
    return showing(state, { ...overlay, note: { text: message.message, error: true } });
  }
  if (message.to === ROWS)
    return showing(state, {
      ...overlay,
      note: keptNote(overlay),
      rows: { state: "ready", rows: cleaned(message.result) },
    });
  if (message.to === SET_UP) return providerAdded(state, overlay, message.result as ProviderSetUp); // the owner's answer to models.set_up
  if (message.to === TESTED) {
    const { ok, ms, text } = message.result as { ok: boolean; ms: number; text: string }; // the owner's answer to models.test
    return showing(state, { ...overlay, note: { text: `${sanitizeLine(text)} (${ms} ms)`, error: !ok } });
  }
  const { stored: name } = message.result as { stored: string }; // the owner's answer to models.set_key
  return showing(
    showMessage(state, "the key is stored"),
    { ...overlay, note: { text: `stored as ${sanitizeLine(name)} of this home`, error: false } },
    [ask(state, true)],
  );
};

/** The models of the provider that was added are shown at once. */
function providerAdded(
  state: State,
  overlay: ModelsOverlay,
  { provider, models, default: model }: ProviderSetUp,
): Updated {
  const begin = model === "" ? "" : ` New sessions use ${sanitizeLine(model)}.`;
  const note = {
    text: `${sanitizeLine(provider)} is set up and lists ${models === 1 ? "1 model" : `${models} models`}.${begin}`,
    error: false,
    stays: true,
  };
  return showing(state, { ...overlay, filter: insert(EMPTY, provider), at: 0, note }, [ask(state, true)]);
}

const keptNote = ({ note }: ModelsOverlay): ModelsOverlay["note"] => (note?.stays === true ? note : undefined);

function cleaned(result: unknown): readonly ModelRow[] {
  const rows = result as readonly ModelRow[]; // the owner's answer to models.list
  return rows.map((row) => ({
    ...row,
    name: sanitizeLine(row.name),
    provider: sanitizeLine(row.provider),
    model: sanitizeLine(row.model),
    problem: sanitizeLine(row.problem),
    notes: row.notes.map(sanitizeLine),
    ...(row.label === undefined ? {} : { label: sanitizeLine(row.label) }),
  }));
}
