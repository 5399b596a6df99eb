import type { Client } from "../../backplane/client.js";
import { type OwnerConnection, type Ownership, ownOrConnect } from "../../backplane/elect.js";
import { toAppError } from "../../base/errors.js";
import type { Home } from "../../base/home.js";
import { systemClock } from "../../base/time/clock.js";
import type { OwnerStatus } from "../../contracts/owner/owner.js";

/** How often an owner that is there for a command only is looked at again. */
const LOOK_EVERY_MS = 50;

/**
 * Become the owner of `home`, or a client of one that stays. An owner for the length of a command is waited for: it can neither be attached to
 * nor refuse anyone.
 */
export async function ownForLong(
  home: Home,
  options: { readonly kind: string; readonly version: string },
): Promise<Ownership | OwnerConnection> {
  for (;;) {
    const met = await ownOrConnect(home, options);
    if (met.role === "owner" || (await stays(met.client))) return met;
    met.client.close();
    await systemClock.sleep(LOOK_EVERY_MS);
  }
}

/** The owner is there for longer than a command. False also when it has ended meanwhile. */
async function stays(client: Client): Promise<boolean> {
  try {
    return (await client.call<OwnerStatus>("owner.status", {})).kind === "long";
  } catch (error) {
    if (toAppError(error).code === "E_OWNER_LOST") return false;
    throw error;
  }
}
