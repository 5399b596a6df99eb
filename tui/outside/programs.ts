/** How a program is run. `signal`: it is sent SIGTERM when that aborts. */
export interface RunHow {
  readonly terminal: boolean;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

/** Programs and files beside the terminal, as the one who opens the screen gives them. */
export interface Programs {
  /**
   * Run a program to its end. `terminal`: it has the terminal; otherwise it has none and what it says is lost.
   *
   * @returns its exit status, 128 and the signal's number after one
   * @throws when it can not be started
   */
  run(argv: readonly string[], how: RunHow): Promise<number>;
  /** Whether a program of this name can be started. */
  has(name: string): boolean;
  /** Write a file of the user's own (0600), its directory with it. */
  write(path: string, text: string): Promise<void>;
  /** A text as a private file with this ending while `work` runs; what it holds then is the result. */
  edit(text: string, ending: string, work: (path: string) => Promise<void>): Promise<string>;
}
