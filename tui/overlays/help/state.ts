export interface HelpOverlay {
  readonly kind: "help";
  /** Rows scrolled down. */
  readonly top: number;
}

export const HELP: HelpOverlay = { kind: "help", top: 0 };
