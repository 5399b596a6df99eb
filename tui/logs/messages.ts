import type { LogRow } from "./state.js";

/** Lines of the log, at the end of those that are there. */
export type LogsMessage = { readonly type: "log"; readonly rows: readonly LogRow[] };
