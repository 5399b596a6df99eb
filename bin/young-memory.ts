import { setFlagsFromString } from "node:v8";

/**
 * The engine doubles what it keeps for new objects whenever many of them outlive a collection, up to 32 MB, and never gives it back. A front end makes
 * its objects for one frame: it keeps the size that it has by now. An owner works faster with more.
 *
 * @param grows Whether it may still become larger
 */
export function youngMemory(grows: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${grows ? 2 : 1}`);
}
