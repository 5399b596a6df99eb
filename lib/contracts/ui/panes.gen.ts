// Written by `make index`. Do not edit.
/** Panes that show only what a filter matches. */
export const FILTERED_PANES = ["board", "runs", "logs"] as const;
export type FilteredPane = (typeof FILTERED_PANES)[number];

/** Panes with a size of their own: the first one, and those with a share of the height beside it. */
export const SIZED_PANES = ["chat", "board", "runs"] as const;
export type SizedPane = (typeof SIZED_PANES)[number];
