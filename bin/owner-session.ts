import { ownForLong } from "../lib/app/process/long-owner.js";
import type { Ownership } from "../lib/backplane/elect.js";
import type { Backplane } from "../lib/backplane/server.js";
import { toAppError } from "../lib/base/errors.js";
import { systemClock } from "../lib/base/time/clock.js";
import type { GatewayEnd } from "../lib/contracts/gateway/life.js";
import type { LocalOwner, LocalOwnerHooks, WorkspaceCommand } from "./local-owner.js";

/** The owner of a home, as this process is it from time to time while its screen stays open. */
export interface OwnerSession {
  /** The owner here; undefined: another process is it. */
  own(): LocalOwner | undefined;
  /** Begin to own. `onOpen`: clients are served. @throws what keeps the stores from being opened */
  take(ownership: Ownership, onOpen: (door: Backplane) => void): Promise<LocalOwner>;
  /** The owner elsewhere is lost: become it, unless another process does first. */
  look(connected: () => boolean): void;
  /** An owner elsewhere answers. */
  met(): void;
  /** The screen is closed. @returns the owner here that is to be stopped */
  left(): Promise<LocalOwner | undefined>;
  onRole(listener: (owner: boolean, text: string) => void): () => void;
  log(message: string, error: unknown): void;
}

interface Self {
  readonly command: WorkspaceCommand;
  readonly onStop: () => void;
  readonly listeners: Set<(owner: boolean, text: string) => void>;
  own: LocalOwner | undefined;
  beginning: Promise<LocalOwner | undefined>;
  giving: Promise<void> | undefined;
  looking: boolean;
  /** The screen is closed. */
  over: boolean;
  /** The process that asked for the home may take it until then; monotonic. */
  notBefore: number;
}

const NO_OWNER: Promise<LocalOwner | undefined> = Promise.resolve(undefined);
const AGAIN_MS = 1_000;
/** How long the process that asked for the home may take to become its owner; then any other may. */
const GIVEN_MS = 15_000;

/** @param onStop the process is to end */
export function createOwnerSession(command: WorkspaceCommand, onStop: () => void): OwnerSession {
  const listeners: Self["listeners"] = new Set();
  const own = undefined;
  const giving = undefined;
  const self: Self = {
    command,
    onStop,
    listeners,
    own,
    giving,
    beginning: NO_OWNER,
    looking: false,
    over: false,
    notBefore: 0,
  };
  return {
    own: () => self.own,
    take: (ownership, onOpen) => take(self, ownership, { tookOver: false, onOpen }),
    look: (connected) => {
      if (self.looking) return;
      self.looking = true;
      look(self, connected)
        .catch((error: unknown) => log(self, "no longer looking for an owner", error))
        .finally(() => {
          self.looking = false;
        });
    },
    met: () => {
      self.notBefore = 0;
    },
    left: async () => {
      self.over = true;
      await self.giving;
      return await self.beginning;
    },
    onRole: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log: (message, error) => log(self, message, error),
  };
}

/** A client has no log of its own. */
const log = ({ own }: Self, message: string, error: unknown) =>
  own?.host.app.options.log.error(message, { error: toAppError(error).message });

function tell({ listeners }: Self, owner: boolean, text: string): void {
  for (const listener of listeners) listener(owner, text);
}

function take(self: Self, ownership: Ownership, hooks: Omit<LocalOwnerHooks, "onStop">): Promise<LocalOwner> {
  const mine = begin(self.command, ownership, { ...hooks, onStop: (end) => stopped(self, end) });
  self.beginning = mine.then(
    (made) => {
      self.own = made;
      return made;
    },
    () => undefined, // the taker of the seat is notified
  );
  return mine;
}

function stopped(self: Self, end: GatewayEnd | undefined): void {
  if (end?.why !== "handover") {
    self.onStop();
    return;
  }
  self.giving ??= give(self, end)
    .catch((error: unknown) => {
      log(self, "failed to hand over the home", error);
      self.onStop();
    })
    .finally(() => {
      self.giving = undefined;
    });
}

async function give(self: Self, end: GatewayEnd): Promise<void> {
  await (await self.beginning)?.handOver(end);
  self.own = undefined;
  self.beginning = NO_OWNER;
  self.notBefore = systemClock.mono() + GIVEN_MS;
  if (self.over) self.onStop();
  else tell(self, false, "another process owns the home now; this workspace continues as its client");
}

async function look(self: Self, connected: () => boolean): Promise<void> {
  while (!self.over && (self.own === undefined || self.giving !== undefined) && !connected()) {
    await tryOnce(self, connected).catch((error: unknown) =>
      log(self, "this workspace could not become the owner", error),
    );
    if (self.own === undefined) await systemClock.sleep(AGAIN_MS);
  }
}

async function tryOnce(self: Self, connected: () => boolean): Promise<void> {
  const { home, version, kind = "workspace" } = self.command;
  await self.giving;
  if (systemClock.mono() < self.notBefore || connected()) return;
  const met = await ownForLong(home, { kind, version });
  if (met.role === "client") return met.client.close();
  await take(self, met, { tookOver: true });
  tell(self, true, "the owner has exited; this workspace is the owner now");
}

/** A process that is only a client loads nothing of an owner. */
async function begin(...args: Parameters<typeof import("./local-owner.js").startLocalOwner>): Promise<LocalOwner> {
  const { startLocalOwner: startOwn } = await import("./local-owner.js");
  return await startOwn(...args);
}
