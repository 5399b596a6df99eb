import { ownForLong } from "../lib/app/long-owner.js";
import type { Ownership } from "../lib/backplane/elect.js";
import { systemClock } from "../lib/base/clock.js";
import { toAppError } from "../lib/base/errors.js";
import type { GatewayEnd } from "../lib/proto/gateway-life.js";
import type { Own, WorkspaceCommand } from "./own.js";

/** The owner of a home, as this process is it from time to time while its screen stays open. */
export interface Seat {
  /** The owner here; undefined: another process is it. */
  own(): Own | undefined;
  /** Begin to own. @throws what keeps the stores from being opened */
  take(ownership: Ownership, tookOver: boolean): Promise<Own>;
  /** The owner elsewhere is lost: become it, unless somebody else does first. */
  look(connected: () => boolean): void;
  /** An owner elsewhere answers. */
  met(): void;
  /** The screen is closed. @returns the owner here that is to be stopped */
  left(): Promise<Own | undefined>;
  onRole(listener: (owner: boolean, text: string) => void): () => void;
  log(message: string, error: unknown): void;
}

const NOBODY: Promise<Own | undefined> = Promise.resolve(undefined);
const AGAIN_MS = 1_000;
/** Who asked for the home gets so long to take it; then it is anybody's again. */
const GIVEN_MS = 15_000;

/** @param onStop the process is to end */
export function createSeat(command: WorkspaceCommand, onStop: () => void): Seat {
  const listeners = new Set<(owner: boolean, text: string) => void>();
  let [own, beginning, giving]: [Own | undefined, Promise<Own | undefined>, Promise<void> | undefined] = [undefined, NOBODY, undefined];
  let [looking, over] = [false, false];
  let notBefore = 0;
  const log = (message: string, error: unknown) => own?.host.app.options.log.error(message, { error: toAppError(error).message });
  const tell = (owner: boolean, text: string) => {
    for (const listener of listeners) listener(owner, text);
  };
  const give = async (end: GatewayEnd) => {
    await (await beginning)?.handOver(end);
    [own, beginning, notBefore] = [undefined, NOBODY, systemClock.mono() + GIVEN_MS];
    if (over) onStop();
    else tell(false, "another process owns the home now: this workspace goes on as its client");
  };
  const stopped = (end?: GatewayEnd) => {
    if (end?.why !== "handover") return onStop();
    giving ??= give(end)
      .catch((error: unknown) => {
        log("the home could not be handed over", error);
        onStop();
      })
      .finally(() => {
        giving = undefined;
      });
  };
  const take = (ownership: Ownership, tookOver: boolean) => {
    const mine = begin(command, ownership, { onStop: stopped, tookOver });
    beginning = mine.then(
      (made) => {
        own = made;
        return made;
      },
      () => undefined, // whoever takes the seat is told
    );
    return mine;
  };
  const tryOnce = async (connected: () => boolean) => {
    await giving;
    if (systemClock.mono() < notBefore || connected()) return;
    const met = await ownForLong(command.home, { kind: "workspace", version: command.version });
    if (met.role === "client") return met.client.close();
    await take(met, true);
    tell(true, "the owner was gone: this workspace is the owner now");
  };
  const look = async (connected: () => boolean) => {
    while (!over && (own === undefined || giving !== undefined) && !connected()) {
      await tryOnce(connected).catch((error: unknown) => log("this workspace could not become the owner", error));
      if (own === undefined) await systemClock.sleep(AGAIN_MS);
    }
  };
  return {
    own: () => own,
    take,
    look: (connected) => {
      if (looking) return;
      looking = true;
      look(connected)
        .catch((error: unknown) => log("no owner is looked for any more", error))
        .finally(() => {
          looking = false;
        });
    },
    met: () => {
      notBefore = 0;
    },
    left: async () => {
      over = true;
      await giving;
      return await beginning;
    },
    onRole: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log,
  };
}

/** Whoever is only a client loads nothing of an owner. */
async function begin(...args: Parameters<typeof import("./own.js").startOwn>): Promise<Own> {
  const { startOwn } = await import("./own.js");
  return await startOwn(...args);
}
