/** The parts of `agent setup`, in the order in which it goes through them. */
export const SETUP_SECTIONS = ["model", "tts", "terminal", "gateway", "tools", "agent"] as const;
export type SetupSection = (typeof SETUP_SECTIONS)[number];

export interface GatewaySetupOptions {
  /** Default: which ones is asked. */
  readonly section?: SetupSection | undefined;
  /** Ask nothing: take what the environment gives. */
  readonly nonInteractive: boolean;
  /** Forget the settings before; the file is kept as a copy. */
  readonly reset: boolean;
  /** Go through every part, also through what is set. */
  readonly reconfigure: boolean;
  /** Only what nothing works without, and only where it is missing. */
  readonly quick: boolean;
}

/**
 * `ok`: a model can answer now, or nothing had to be done. `failed`: what was found cannot be used, and nothing was stored for it.
 * `guidance`: no terminal to prompt on; the lines describe the manual setup.
 */
export interface SetupOutcome {
  readonly outcome: "ok" | "failed" | "guidance";
  readonly lines: readonly string[];
}

/** Prompts the person at the terminal, in the process of the caller. */
export interface SetupControl {
  /** @throws E_INTERRUPTED when they gave up; what was answered before is stored */
  run(options: GatewaySetupOptions): Promise<SetupOutcome>;
  /** Ask how the fallback chain is to change; without a person to ask it does nothing. @throws E_INTERRUPTED likewise */
  fallback(): Promise<void>;
  /** The menu of logins and keys. @returns false: no person to ask. @throws E_INTERRUPTED likewise */
  auth(): Promise<boolean>;
}
