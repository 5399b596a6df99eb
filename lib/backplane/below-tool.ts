import { type OwnerText, readOwner } from "../../storage/lock.js";
import type { Home } from "../base/home.js";
import { findToolAbove } from "../base/process/ancestry.js";
import type { PersonStart } from "../base/process/person-starts.js";
import { findProcess, readBootId } from "../base/process/process.js";
import { systemClock } from "../base/time/clock.js";
import type { ClientOptions } from "./client.js";

/** An owner for the length of one command listens only after a moment. */
const TRIES = 50;
const PAUSE_MS = 100;

/** A tool of the home started this process. Below the owner itself that is so unless the owner started it for a person's settings. */
export async function isBelowTool(home: Home, options: ClientOptions): Promise<boolean> {
  const owner = findLivingOwner(home);
  const known = { dir: home.dir, owner };
  const above = findToolAbove(process.pid, known);
  if (above === undefined || above !== owner) return above !== undefined;
  const started = await askOwner(home, owner, options);
  return findToolAbove(process.pid, { ...known, personStarts: () => started }) !== undefined;
}

/** The lock's text outlives an owner that was killed, and its pid may belong to the person's own shell by now: the start tells them apart. */
function findLivingOwner(home: Home): number | undefined {
  const text = readOwner(home.lock);
  return text !== undefined && isSameProcess(text) ? text.pid : undefined;
}

/** A system that gives no start or boot leaves the pid alone to judge by. */
function isSameProcess({ pid, start, boot }: OwnerText): boolean {
  return (boot === "" || boot === readBootId()) && (start === "" || start === findProcess(pid)?.start);
}

/** What the owner started for a person's settings. Where it does not answer, nothing. */
async function askOwner(home: Home, owner: number, options: ClientOptions): Promise<readonly PersonStart[]> {
  const { connect } = await import("./client.js"); // few processes have their owner above them
  for (let n = 0; n < TRIES && findLivingOwner(home) === owner; n++) {
    const client = await connect(home, options);
    if (client !== undefined) {
      try {
        return await client.call<readonly PersonStart[]>("owner.person_starts", {});
      } finally {
        client.close();
      }
    }
    await systemClock.sleep(PAUSE_MS);
  }
  return [];
}
