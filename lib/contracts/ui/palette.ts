/** What the palette of a front end searches in, as the owner tells it (workspace part, 7.1). */
export interface PaletteItems {
  readonly sessions: readonly { readonly id: string; readonly title: string; readonly cwd: string }[];
  /** Of all boards, without the archived ones. */
  readonly tasks: readonly PaletteTask[];
  /** Named in the conversation, the last one first. */
  readonly files: readonly string[];
  readonly settings: readonly { readonly key: string; readonly value: string; readonly help: string }[];
  /** Keys of what was chosen last, newest first, at most ten. */
  readonly recent: readonly string[];
}

export interface PaletteTask {
  readonly board: string;
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly assignee: string;
}
