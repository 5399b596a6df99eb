/** What reducers ask of the terminal and of the programs around it. */
export type OutsideEffect =
  /** Put a text into the clipboard, as it is. The user sees `copied <what>` (default: its number of lines), or what went wrong. */
  | { readonly do: "copy"; readonly text: string; readonly what?: string }
  /**
   * Hand the terminal to a program (`$PAGER`, `$EDITOR`) and take it back when it ends; the end comes back as `handed` with the name in
   * `to`. `stdin`: what it reads in place of the terminal. `file`: a text that it is given as a private file, the last word of its command
   * line; what the file holds afterwards is in `handed`.
   */
  | {
      readonly do: "hand";
      readonly argv: readonly string[];
      readonly stdin?: string;
      readonly file?: { readonly text: string; readonly ending: string };
      readonly to?: string;
    }
  /** Keep the picture of the clipboard for the message. */
  | { readonly do: "grab" }
  /** Put a value into the settings once nothing more comes for a moment. */
  | { readonly do: "keep"; readonly key: string; readonly value: unknown };

/** A program that had the terminal has ended. */
export interface Handed {
  readonly type: "handed";
  readonly to: string;
  /** Its exit status, 128 and more after a signal; undefined: it could not be started. */
  readonly status: number | undefined;
  /** What the file of the effect holds now. */
  readonly text?: string;
  /** Why it could not be started. */
  readonly error?: string;
}

export type OutsideMessage = Handed;
