/** What overlays ask of the panes. */
export type OverlayMessage =
  /** Show a task of a board; `next`: an action of the key table to do with it. */
  | { readonly type: "open.task"; readonly board: string; readonly task: string; readonly next: string }
  /** Show the open run of a task. */
  | { readonly type: "open.run"; readonly board: string; readonly task: string };
