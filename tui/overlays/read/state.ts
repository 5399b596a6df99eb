/** A text to be read to its end. Text comes cleaned. */
export interface ReadOverlay {
  readonly kind: "read";
  readonly title: string;
  readonly lines: readonly (readonly [look: "text" | "heading" | "code" | "diff", text: string])[];
  /** Lines are broken between any two characters, and nothing is added or left out but the sign of a line end. */
  readonly exact: boolean;
  /** First row that is shown. */
  readonly top: number;
}
