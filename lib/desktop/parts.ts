import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import type { DesktopPlace } from "../contracts/desktop/desktop.js";
import type { DesktopWindow, DriverAnswer } from "../contracts/desktop/driver.js";
import type { Drivers } from "./drivers.js";
import type { LastCaptures } from "./last-capture.js";
import { readWindows } from "./read-driver.js";

/** What the actions of one process share. */
export interface DesktopParts {
  readonly clock: Clock;
  readonly drivers: Drivers;
  readonly captures: LastCaptures;
  /** `computer_use.max_capture_px`. */
  readonly maxSide: () => number;
  /** Makes a picture smaller; absent, or undefined: it cannot. */
  readonly scale?: (picture: Uint8Array, maxSide: number) => Promise<Uint8Array | undefined>;
  /** Keep a picture as a file. @returns its absolute path */
  readonly save: (picture: Uint8Array) => Promise<string>;
}

/** How long a driver may take for what does not depend on the length of a text. */
export const CALL_MS: Ms = 30_000;

/** A call that changes nothing. @throws DriverFailure */
export const look = (
  parts: DesktopParts,
  { env }: DesktopPlace,
  [tool, args]: readonly [tool: string, args: Readonly<Record<string, unknown>>],
  signal: AbortSignal,
): Promise<DriverAnswer> => parts.drivers.call(env, { tool, args, timeoutMs: CALL_MS, repeats: true }, signal);

/** Open windows. @throws DriverFailure */
export async function openWindows(
  parts: DesktopParts,
  place: DesktopPlace,
  signal: AbortSignal,
): Promise<readonly DesktopWindow[]> {
  return readWindows((await look(parts, place, ["list_windows", {}], signal)).value);
}
