/** The keys, those of the focused context first. */
export interface HelpOverlay {
  readonly kind: "help";
  /** Row of the table that is marked, among those that are shown. */
  readonly at: number;
  readonly filter: string;
  /** The filter is being typed. */
  readonly typing: boolean;
}

export const HELP: HelpOverlay = { kind: "help", at: 0, filter: "", typing: false };
