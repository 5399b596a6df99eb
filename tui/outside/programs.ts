/** How a program is run. `signal`: it is sent SIGTERM when that aborts. */
export interface RunHow {
  readonly terminal: boolean;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

/** `on`: called with each piece. `signal`: as above. */
export interface ListenHow {
  readonly on: (bytes: Uint8Array) => void;
  readonly signal: AbortSignal;
}

/** Programs and files beside the terminal, as the one who opens the screen gives them. */
export interface Programs {
  /**
   * Run a program to its end. `terminal`: it has the terminal; otherwise its output is lost.
   *
   * @returns its exit status, 128 and the signal's number after one
   * @throws when it can not be started
   */
  run(argv: readonly string[], how: RunHow): Promise<number>;
  /**
   * Run a program without a terminal and take what it writes to its standard output.
   *
   * @returns its exit status as above, and the end of what it wrote to its standard error
   * @throws when it can not be started
   */
  listen(argv: readonly string[], how: ListenHow): Promise<{ readonly status: number; readonly said: string }>;
  /** Whether a program of this name can be started. */
  has(name: string): boolean;
  /** Write a file of the user's own (0600), its directory with it. */
  write(path: string, text: string): Promise<void>;
  /** A text as a private file with this ending while `work` runs; what it holds then is the result. */
  edit(text: string, ending: string, work: (path: string) => Promise<void>): Promise<string>;
  /** Bytes as a private file with this ending while `work` runs. */
  hold(bytes: Uint8Array, ending: string, work: (path: string) => Promise<void>): Promise<void>;
}
