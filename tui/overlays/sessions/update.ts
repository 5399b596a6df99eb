import type { SessionRow } from "../../../lib/contracts/chat/session-overview.js";
import { type Editor, EMPTY, insert, replaceAll } from "../../composer/editor.js";
import type { Effect } from "../../model/messages.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import { match, pattern } from "../fuzzy.js";
import { type Asking, SESSIONS, type SessionsOverlay } from "./state.js";

export const ROWS = "sessions.rows";
export const FOUND = "sessions.found";
export const HOLDING = "sessions.holding";
export const PREVIEW = "sessions.preview";
export const DONE = "sessions.done";

export const inSessions =
  (change: (state: State, overlay: SessionsOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "sessions" ? change(state, state.overlay) : [state, []];

export const showing = (state: State, overlay: SessionsOverlay, effects: readonly Effect[] = []): Updated => [
  { ...state, overlay },
  effects,
];

export const openSessions = (state: State): Updated => showing(state, SESSIONS, [ask(state, SESSIONS)]);

/** The rows of what is wanted: this directory or all, archived or not. */
export const ask = ({ cwd }: Pick<State, "cwd">, { all, archived }: SessionsOverlay): Effect => ({
  do: "call",
  method: "session.overview",
  to: ROWS,
  reads: true,
  params: { archived, ...(all ? {} : { cwd }) },
});

/** A session that is listed, with the places of the letters that the filter found in its name. */
export interface Listed {
  readonly row: SessionRow;
  readonly marks: readonly number[];
  /** Words around what the search found. */
  readonly snippet: string;
}

export const nameOf = ({ title, preview, id, messages }: SessionRow): string =>
  title || preview || (messages === 0 ? "(empty)" : id);

/** What the filter lets through, or what the search in the contents has found. */
export function listed({ rows, filter, hits, found }: SessionsOverlay): readonly Listed[] {
  if (rows.state !== "ready") return [];
  if (hits !== undefined)
    return found.map((row) => ({
      row,
      marks: [],
      snippet: (row.found ?? [row.id]).map((id) => hits.get(id)).find((one) => one !== undefined) ?? "",
    }));
  const given = pattern(filter.text);
  return rows.rows.flatMap((row) => {
    const named = match(given, nameOf(row)) ?? (row.id.startsWith(filter.text) ? { at: [] } : undefined);
    return named === undefined ? [] : [{ row, marks: named.at, snippet: "" }];
  });
}

const current = (overlay: SessionsOverlay): SessionRow | undefined => listed(overlay)[overlay.at]?.row;

/** The marked ones, else the one at hand. */
function subjects(overlay: SessionsOverlay): readonly SessionRow[] {
  const all = overlay.rows.state === "ready" ? overlay.rows.rows : [];
  const marked = all.filter(({ id }) => overlay.marked.has(id));
  const one = current(overlay);
  return marked.length > 0 ? marked : one === undefined ? [] : [one];
}

/** To another row; its last exchange is asked for. */
export function goTo(state: State, overlay: SessionsOverlay, at: number): Updated {
  const next = { ...overlay, at: Math.max(0, Math.min(listed(overlay).length - 1, at)) };
  return showing(state, next, previewOf(next));
}

function previewOf(overlay: SessionsOverlay): readonly Effect[] {
  const id = current(overlay)?.id;
  if (id === undefined || overlay.preview?.id === id) return [];
  return [
    {
      do: "call",
      method: "session.messages",
      params: { session_id: id, limit: 6 },
      to: `${PREVIEW}:${id}`,
      reads: true,
    },
  ];
}

/** The line that is typed into: a title, a file, or what is looked for. */
export const editLine = (state: State, edit: (editor: Editor) => Editor): Updated =>
  inSessions((now, overlay) => {
    const { asking } = overlay;
    if (asking !== undefined && asking.what !== "delete")
      return showing(now, { ...overlay, asking: { ...asking, input: edit(asking.input) } });
    if (!overlay.typing) return [now, []];
    return goTo(now, { ...overlay, filter: edit(overlay.filter), hits: undefined }, 0);
  })(state);

export function typedIn(state: State, overlay: SessionsOverlay, text: string, pasted: boolean): Updated {
  if (overlay.asking?.what === "delete") return pasted ? [state, []] : confirmed(state, overlay, text.charAt(0));
  return editLine(state, (editor) => insert(editor, text.replace(/[\x00-\x1f\x7f]+/g, " ").slice(0, 4_096)));
}

const call = (method: string, params: Readonly<Record<string, unknown>>): Effect => ({
  do: "call",
  method,
  params,
  to: DONE,
});

/** Only `d` deletes; every other key keeps them. */
function confirmed(state: State, overlay: SessionsOverlay, letter: string): Updated {
  const { asking } = overlay;
  const next = { ...overlay, asking: undefined };
  if (asking?.what !== "delete" || letter !== "d") return showing(state, next);
  const effects = asking.ids.map((id) => call("session.delete", { session_id: id }));
  const own = state.session.id !== undefined && asking.ids.includes(state.session.id);
  return showing(state, { ...next, marked: new Set() }, [
    ...effects,
    ...(own ? [{ do: "open", session: undefined } as const] : []),
  ]);
}

/** Enter: take what was asked for, search the contents, or open the session. */
export const entered = inSessions((state, overlay) => {
  const { asking, typing, filter } = overlay;
  if (asking !== undefined) return answered(state, overlay, asking);
  if (typing && filter.text.trim() !== "") return searching(state, overlay);
  return opened(state, overlay);
});

function opened(state: State, overlay: SessionsOverlay): Updated {
  const row = current(overlay);
  if (row === undefined) return [state, []];
  return [{ ...state, overlay: undefined }, row.id === state.session.id ? [] : [{ do: "open", session: row.id }]];
}

/** What is found may be of any directory. */
function searching(state: State, overlay: SessionsOverlay): Updated {
  const next = { ...overlay, typing: false, all: true };
  const search: Effect = {
    do: "call",
    method: "session.search",
    to: FOUND,
    reads: true,
    params: { query: overlay.filter.text.trim(), limit: 100 },
  };
  return showing(showMessage(state, "searching…"), next, [...(overlay.all ? [] : [ask(state, next)]), search]);
}

function answered(state: State, overlay: SessionsOverlay, asking: Asking): Updated {
  if (asking.what === "delete") return showing(state, { ...overlay, asking: undefined });
  const text = asking.input.text.trim();
  if (text === "") return [state, []];
  const done = { ...overlay, asking: undefined, marked: new Set<string>() };
  if (asking.what === "rename")
    return showing(state, done, [call("session.rename", { session_id: asking.id, title: text })]);
  const many = asking.ids.length > 1;
  const files = asking.ids.map((id) => ({ id, output: many ? `${text.replace(/\/$/, "")}/${id}.md` : text }));
  const effects = files.map(({ id, output }) =>
    call("sessions.export", { id, output, format: formatOf(output), cwd: state.cwd }),
  );
  return showing(
    showMessage(state, many ? `exporting ${files.length} sessions to ${text}` : `exporting to ${text}`),
    done,
    effects,
  );
}

const formatOf = (file: string): string => /\.(jsonl?)$/.exec(file)?.[1] ?? "md";

/** A press marks a session; on the marked one it opens it. */
export const pressed = (at: number) =>
  inSessions((state, overlay) => {
    if (overlay.asking !== undefined) return [state, []];
    return at === overlay.at ? opened(state, overlay) : goTo(state, overlay, at);
  });

/** A press on one of the answers: its letter. */
export const answeredBy = (letter: string) => inSessions((state, overlay) => typedIn(state, overlay, letter, false));

/** Back from what is asked, then from the search, then out. */
export const escaped = inSessions((state, overlay) => {
  if (overlay.asking !== undefined) return showing(state, { ...overlay, asking: undefined });
  if (overlay.typing || overlay.filter.text !== "" || overlay.hits !== undefined) {
    return goTo(state, { ...overlay, typing: false, filter: EMPTY, hits: undefined }, 0);
  }
  return [{ ...state, overlay: undefined }, []];
});

export const rename = inSessions((state, overlay) => {
  const row = current(overlay);
  return row === undefined
    ? [state, []]
    : showing(state, { ...overlay, asking: { what: "rename", id: row.id, input: replaceAll(EMPTY, row.title) } });
});

export const exporting = inSessions((state, overlay) => {
  const rows = subjects(overlay);
  const [first] = rows;
  if (first === undefined) return [state, []];
  const input = replaceAll(EMPTY, rows.length > 1 ? "sessions" : `${first.id}.md`);
  return showing(state, { ...overlay, asking: { what: "export", ids: rows.map(({ id }) => id), input } });
});

export const deleting = inSessions((state, overlay) => {
  const rows = subjects(overlay);
  const [first] = rows;
  if (first === undefined) return [state, []];
  const messages = rows.reduce((sum, row) => sum + row.messages, 0);
  const what = rows.length > 1 ? `${rows.length} sessions` : `“${nameOf(first)}”`;
  const text = `Delete ${what} with ${messages} ${messages === 1 ? "message" : "messages"} for good?`;
  return showing(state, { ...overlay, asking: { what: "delete", ids: rows.map(({ id }) => id), text } });
});

/** One call for each that is meant. */
const each = (make: (row: SessionRow) => Effect) =>
  inSessions((state, overlay) => showing(state, { ...overlay, marked: new Set() }, subjects(overlay).map(make)));

export const archive = each(({ id, archived }) =>
  call(archived ? "session.unarchive" : "session.archive", { session_id: id }),
);
export const pin = each(({ id, pinned }) => call("session.pin", { session_id: id, pinned: !pinned }));
export const fork = inSessions((state, overlay) => {
  const row = current(overlay);
  return [state, row === undefined ? [] : [call("session.fork", { session_id: row.id })]];
});

export const mark = inSessions((state, overlay) => {
  const row = current(overlay);
  if (row === undefined) return [state, []];
  const marked = new Set(overlay.marked);
  if (!marked.delete(row.id)) marked.add(row.id);
  return goTo(state, { ...overlay, marked }, overlay.at + 1);
});

export const markAll = inSessions((state, overlay) =>
  showing(state, { ...overlay, marked: new Set(listed(overlay).map(({ row }) => row.id)) }),
);
export const markNone = inSessions((state, overlay) => showing(state, { ...overlay, marked: new Set() }));

/** Other rows: of all directories, or the archived ones. */
export const toggle = (what: "all" | "archived") =>
  inSessions((state, overlay) => {
    const next = { ...overlay, [what]: !overlay[what], at: 0, marked: new Set<string>() };
    return showing(state, next, [ask(state, next)]);
  });
