/** Names the object and the effect; the safe choice is marked first. The answer is a message `confirmed`. */
export interface ConfirmOverlay {
  readonly kind: "confirm";
  /** Who asked: `board.archive`. Its room takes the answer. */
  readonly asker: string;
  readonly title: string;
  /** What will happen, in full. */
  readonly lines: readonly string[];
  readonly choices: readonly ConfirmChoice[];
  readonly at: number;
  /** Lines scrolled down, when they do not fit. */
  readonly top?: number;
  /** What it is about, for the asker. */
  readonly subject: Subject;
}

export interface ConfirmChoice {
  readonly name: string;
  readonly label: string;
  /** The letter that takes it at once. */
  readonly key: string;
}

/** Facts that a dialog carries for the room that opened it. */
export type Subject = Readonly<Record<string, string>>;

export interface Confirmed {
  readonly type: "confirmed";
  readonly asker: string;
  readonly choice: string;
  readonly subject: Subject;
}
