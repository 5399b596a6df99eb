/** What rooms ask of the terminal and of the programs around it. */
export type OutsideEffect =
  /** Put a text into the clipboard, as it is. The user is told `copied <what>` (default: its number of lines), or what went wrong. */
  | { readonly do: "copy"; readonly text: string; readonly what?: string }
  /**
   * Hand the terminal to a program (`$PAGER`, `$EDITOR`) and take it back when it ends. `stdin`: what it reads; without it the terminal.
   * With `to` the end comes back as `handed`.
   */
  | { readonly do: "hand"; readonly argv: readonly string[]; readonly stdin?: string; readonly to?: string };

/** A program that had the terminal has ended. `status`: its exit status, 128 and more after a signal; undefined: it could not be started. */
export interface Handed {
  readonly type: "handed";
  readonly to: string;
  readonly status: number | undefined;
  /** Why it could not be started. */
  readonly error?: string;
}

export type OutsideMessage = Handed;
