import type { LogFilter, LogLevel } from "../../lib/contracts/ui/log-lines.js";
import type { Editor } from "../composer/editor.js";
import type { RowOf } from "../draw/canvas.js";
import type { SafeText } from "../draw/sanitize.js";

/** A line of a log. */
export interface LogRow {
  /** As it came: what is copied, and what names its place. Never drawn. */
  readonly line: string;
  readonly text: SafeText;
  /** Of the owner's own lines: the parts of it. */
  readonly parts: { readonly at: string; readonly component: SafeText; readonly text: SafeText } | undefined;
  readonly level: LogLevel | undefined;
  /** Output of a program in its own colours. */
  readonly spans: RowOf | undefined;
  /** Said by the screen itself: lines that are missing, a lost connection. */
  readonly note: boolean;
}

/** Which log is looked at: that of the pane, or the output of the opened run. */
export type LogName = "logs" | "run";

/** A log that is looked at. Rows have numbers: `from` is that of the first one, and a row keeps its number whatever comes before or behind it. */
export interface LogView {
  readonly filter: LogFilter;
  readonly phase: "loading" | "ready" | "failed";
  readonly error: SafeText;
  /** False: nothing was ever written there. */
  readonly exists: boolean;
  readonly rows: readonly LogRow[];
  readonly from: number;
  /** Place before the first row; null: there is nothing older. */
  readonly before: string | null;
  /** Older rows are on their way. */
  readonly fetching: boolean;
  readonly follow: boolean;
  /** Number of the row under the cursor and of the uppermost one, while the end is not followed. */
  readonly cursor: number;
  readonly top: number;
  /** Number behind the last row when following was left. */
  readonly left: number;
  readonly search: string;
  /** The line that is typed in. */
  readonly line: { readonly kind: "search" | "filter"; readonly editor: Editor; readonly before: string } | undefined;
  /** The record whose fields are shown, and how far down. */
  readonly record: { readonly row: LogRow; readonly top: number } | undefined;
}

/** A message to the user, with the time of day when it came, in Unix milliseconds. */
export interface Said {
  readonly wall: number;
  readonly text: string;
}

export interface LogsState {
  readonly view: LogView;
  /** What was said to the user since the start, oldest first. */
  readonly said: readonly Said[];
  readonly wrap: boolean;
  readonly times: boolean;
  /** Errors that came unseen. */
  readonly unread: number;
}

/** A log before anything of it has come. */
export const newView = (filter: LogFilter): LogView => ({
  filter,
  phase: "loading",
  error: "" as SafeText,
  exists: true,
  rows: [],
  from: 0,
  before: null,
  fetching: false,
  follow: true,
  cursor: 0,
  top: 0,
  left: 0,
  search: "",
  line: undefined,
  record: undefined,
});

export const NO_LOGS: LogsState = {
  view: newView({ source: "owner", level: "info" }),
  said: [],
  wrap: false,
  times: true,
  unread: 0,
};
