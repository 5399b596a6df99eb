import type { SessionRow } from "../../../lib/contracts/chat/session-overview.js";
import { type Editor, EMPTY } from "../../composer/editor.js";
import { LOADING, type Loaded } from "../../model/loaded.js";

/** Something that is asked for in the manager's own line. */
export type Asking =
  | { readonly what: "rename"; readonly id: string; readonly input: Editor }
  | { readonly what: "export"; readonly ids: readonly string[]; readonly input: Editor }
  | { readonly what: "delete"; readonly ids: readonly string[]; readonly text: string };

/** The last exchange of a session, for the right half. */
export interface Preview {
  readonly id: string;
  readonly lines: readonly { readonly who: string; readonly text: string }[];
}

/** All sessions: look, open, put in order. */
export interface SessionsOverlay {
  readonly kind: "sessions";
  readonly rows: Loaded<SessionRow>;
  /** Of every directory. */
  readonly all: boolean;
  readonly archived: boolean;
  readonly at: number;
  readonly marked: ReadonlySet<string>;
  readonly filter: Editor;
  /** The filter is being typed. */
  readonly typing: boolean;
  /** What the search in the contents has found: session and the words around it. Undefined: it was not asked for. */
  readonly hits: ReadonlyMap<string, string> | undefined;
  /** The sessions that hold it, of every directory, also archived ones. */
  readonly found: readonly SessionRow[];
  readonly asking: Asking | undefined;
  readonly preview: Preview | undefined;
}

export const SESSIONS: SessionsOverlay = {
  kind: "sessions",
  rows: LOADING,
  all: false,
  archived: false,
  at: 0,
  marked: new Set(),
  filter: EMPTY,
  typing: false,
  hits: undefined,
  found: [],
  asking: undefined,
  preview: undefined,
};
