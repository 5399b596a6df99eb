/** Exit codes of a process that one of these signals has ended, as shells report them. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Signals that ask a process to end. */
export type EndingSignal = keyof typeof EXIT_CODES;

/** @param reason name of the signal; another text counts as Ctrl+C */
export function exitCodeOfSignal(reason: unknown): number {
  return reason === "SIGTERM" || reason === "SIGHUP" ? EXIT_CODES[reason] : EXIT_CODES.SIGINT;
}
