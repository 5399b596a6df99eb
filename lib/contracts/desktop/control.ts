/** `agent computer-use` in the process of its caller (extensions part, 10.6). */

/** How this machine's desktop would be driven. */
export interface DesktopStatus {
  /** Null: none; `why` says what is missing. */
  readonly backend: "external" | "x11" | "noop" | null;
  readonly why: string | null;
  /** Command line of the driver. */
  readonly driver: string | null;
  readonly version: string | null;
  readonly display: string | null;
  /** Whether the display lets this user see and control it; null: not known before the first use. */
  readonly permissions: "granted" | "denied" | null;
}

export interface DesktopInstall {
  readonly upgrade: boolean;
  /** Install without asking. */
  readonly yes: boolean;
}

export interface DesktopInstalled {
  readonly ok: boolean;
  readonly text: string;
  /** Exact command that installs what is missing; null: nothing is. */
  readonly command: string | null;
}

/** Commands of `agent computer-use`, for commands that run `outside`. */
export interface DesktopControl {
  status(): Promise<DesktopStatus>;
  install(how: DesktopInstall): Promise<DesktopInstalled>;
  /** Serve a driver on standard input and output until the client is gone. @returns exit code */
  drive(driver: "x11" | "noop"): Promise<number>;
}
