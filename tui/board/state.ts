import type { Severity } from "../../lib/contracts/board/explain.js";
import type { Editor } from "../composer/editor.js";
import type { SafeText } from "../draw/sanitize.js";
import type { FormOverlay } from "../overlays/form/state.js";
import type { TaskDetail } from "./detail.js";

/** Columns in the order in which work moves; `archived` only where it is asked for. */
export const COLUMNS = ["triage", "todo", "ready", "running", "blocked", "done", "scheduled", "archived"] as const;
export type Column = (typeof COLUMNS)[number];

/** A card of the board. All texts are cleaned. */
export interface TaskCard {
  readonly id: SafeText;
  readonly title: SafeText;
  readonly status: Column;
  readonly assignee: SafeText | null;
  readonly priority: number;
  readonly tenant: SafeText | null;
  readonly createdAt: number;
  /** When it was done or archived; 0 while it is neither. */
  readonly endedAt: number;
  /** Order in which the tasks of a board were made. */
  readonly made: number;
  /** Unix seconds since which it has its status. */
  readonly since: number;
  readonly beat: number | null;
  readonly run: number | null;
  readonly note: SafeText;
  readonly comments: number;
  readonly children: { readonly done: number; readonly total: number } | null;
  readonly version: number;
}

export type Columns = Readonly<Record<Column, readonly TaskCard[]>>;
export type Counts = Readonly<Record<Column, number>>;

export interface Profile {
  readonly name: SafeText;
  readonly about: SafeText;
  readonly skills: readonly SafeText[];
}

/** A task that is looked at as a whole. */
export interface Drawer {
  readonly id: string;
  /** Undefined while it is on its way. */
  readonly detail: TaskDetail | undefined;
  readonly error: string;
  /** Rows scrolled down. */
  readonly top: number;
  readonly allRuns: boolean;
}

export interface BoardState {
  readonly slug: string;
  readonly phase: "loading" | "ready" | "failed";
  readonly error: string;
  readonly cards: ReadonlyMap<string, TaskCard>;
  /** What has come so far of each column, in its order. */
  readonly columns: Columns;
  /** The same through the filter. */
  readonly shown: Columns;
  /** Up to which card everything of a column is here; single cards behind it may be, too. */
  readonly edges: Readonly<Partial<Record<Column, TaskCard>>>;
  /** How many there are of each on the board. */
  readonly counts: Counts;
  readonly paused: { readonly reason: SafeText } | undefined;
  readonly severities: ReadonlyMap<string, Severity>;
  readonly view: "columns" | "list";
  readonly at: Cursor;
  /** First column that is shown where not all fit. */
  readonly left: number;
  readonly marked: ReadonlySet<string>;
  /** The line that is typed in: what is searched, or what is let through. */
  readonly line: { readonly kind: "search" | "filter"; readonly editor: Editor; readonly before: string } | undefined;
  readonly search: string;
  readonly filter: string;
  readonly drawer: Drawer | undefined;
  /** Cards that were sent elsewhere and are shown there, as they are as long as the owner has not confirmed it. */
  readonly moving: ReadonlyMap<string, TaskCard>;
  /** What a model works on. */
  readonly working: ReadonlyMap<string, "specify" | "decompose">;
  readonly profiles: readonly Profile[];
  /** A card that goes under the cursor as soon as it comes. */
  readonly wanted: string | undefined;
  /** A form that waits while its asker is asked whether to overwrite. */
  readonly aside: FormOverlay | undefined;
}

export interface Cursor {
  readonly column: Column;
  /** Row of the cursor in each column that it was in. */
  readonly rows: Readonly<Partial<Record<Column, number>>>;
  /** First card that is shown of each column. */
  readonly tops: Readonly<Partial<Record<Column, number>>>;
  /** First line that the list shows. */
  readonly listTop: number;
}

/** The same for every column. */
export const everyColumn = <T>(value: T): Readonly<Record<Column, T>> => ({
  triage: value,
  todo: value,
  ready: value,
  running: value,
  blocked: value,
  done: value,
  scheduled: value,
  archived: value,
});

const NO_CARDS: Columns = everyColumn<readonly TaskCard[]>([]);

export const NO_BOARD: BoardState = {
  slug: "default",
  phase: "loading",
  error: "",
  cards: new Map(),
  columns: NO_CARDS,
  shown: NO_CARDS,
  edges: {},
  counts: everyColumn(0),
  paused: undefined,
  severities: new Map(),
  view: "columns",
  at: { column: "triage", rows: {}, tops: {}, listTop: 0 },
  left: 0,
  marked: new Set(),
  line: undefined,
  search: "",
  filter: "",
  drawer: undefined,
  moving: new Map(),
  working: new Map(),
  profiles: [],
  wanted: undefined,
  aside: undefined,
};

export const isColumn = (name: string): name is Column => COLUMNS.some((one) => one === name);
