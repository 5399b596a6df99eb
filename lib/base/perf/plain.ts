/** Machinery that buys time or memory and nothing else: without it everything works the same. `make bench only=plain` measures each piece. */
export const PIECES = ["code-cache", "engine-flags", "thin-client"] as const;

/** One piece of it. */
export type Piece = (typeof PIECES)[number];

/** Whether `AGENT_PLAIN` switches a piece off: `1` is all of them, else it names some, with commas between. */
export function isSwitchedOff(piece: Piece, asked: string | undefined = process.env["AGENT_PLAIN"]): boolean {
  return asked === "1" || (asked?.split(",").includes(piece) ?? false);
}
