/** Choose a theme; the screen shows each while the mark is on it. */
export interface ThemesOverlay {
  readonly kind: "themes";
  readonly names: readonly string[];
  readonly at: number;
  /** What was in force before, and comes back. */
  readonly before: string;
}
