import type { Log } from "../../lib/base/log/log.js";
import type { Ms } from "../../lib/base/units.js";
import type { BrokenServer, LiveServer } from "../../lib/contracts/owner/language-servers.js";
import { type ClientPorts, type LanguageClient, type Launch, type Starting, startClient } from "./client.js";
import { createRunning } from "./running.js";

/** Core part, 19.1. */
const IDLE_MS: Ms = 600_000;
/** Servers that live at once; above, the one that was used longest ago is stopped. */
const LIVE_AT_MOST = 12;

/** One server for one root, from the moment in which it was first needed. */
export interface Slot {
  readonly key: string;
  readonly launch: Launch;
  readonly starting: Starting;
  /** Instant of the monotonic clock. */
  readonly startedAt: Ms;
  client: LanguageClient | undefined;
  /** It has told diagnostics at least once, so its first, slow look at the project is over. */
  warm: boolean;
  lastUsed: Ms;
  cancelIdle: () => void;
  leaving: boolean;
}

/** The servers of a process, found by server and root. */
export interface Pool {
  /** Why this pair is left alone; undefined: it is not. */
  brokenReason(key: string): string | undefined;
  /** @throws the system's error when the program cannot be started */
  start(key: string, launch: Launch): Promise<Slot>;
  used(slot: Slot): void;
  /** Leave the pair alone until restart, and end its server. */
  breakDown(key: string, place: { readonly server: string; readonly root: string }, reason: string): void;
  /** The same, but its server goes on: what it does not manage now it may manage later. */
  setAside(slot: Slot, reason: string): void;
  /** It works after all. */
  mend(key: string): void;
  mendServer(server: string): void;
  live(): readonly LiveServer[];
  broken(): readonly BrokenServer[];
  /** Stop everything and forget every mark. */
  clear(): Promise<{ readonly stopped: number; readonly mended: number }>;
}

export const keyOf = (server: string, root: string): string => `${server}\0${root}`;

type PoolPorts = ClientPorts & { readonly log: Log; readonly home: string };

const placeOf = ({ launch }: Slot) => ({ server: launch.definition.id, root: launch.root });

export function createPool(ports: PoolPorts): Pool {
  const slots = createSlots(ports, (slot, reason) => mark(slot.key, { ...placeOf(slot), reason }));
  const marks = new Map<string, BrokenServer>();
  const { clock, log } = ports;
  const mark = (key: string, one: BrokenServer): void => {
    marks.set(key, one);
    log.info("a language server is left alone until restart", {
      server: one.server,
      root: one.root,
      reason: one.reason,
    });
  };
  return {
    brokenReason: (key) => marks.get(key)?.reason,
    start: slots.start,
    used: slots.used,
    breakDown: (key, { server, root }, reason) => {
      mark(key, { server, root, reason });
      slots.end(key);
    },
    setAside: (slot, reason) => mark(slot.key, { ...placeOf(slot), reason }),
    mend: (key) => {
      marks.delete(key);
    },
    mendServer: (server) => {
      for (const [key, one] of marks) if (one.server === server) marks.delete(key);
    },
    live: () =>
      slots.all().map((slot) => ({
        ...placeOf(slot),
        pid: slot.starting.child.pid,
        state: slot.client === undefined ? "starting" : "ready",
        open_files: slot.client?.documents.size ?? 0,
        idle_seconds: Math.round((clock.mono() - slot.lastUsed) / 1000),
      })),
    broken: () => [...marks.values()],
    clear: async () => {
      const counts = { stopped: slots.all().length, mended: marks.size };
      marks.clear();
      await slots.endAll();
      return counts;
    },
  };
}

interface Slots {
  start(key: string, launch: Launch): Promise<Slot>;
  used(slot: Slot): void;
  end(key: string): void;
  all(): readonly Slot[];
  /** Resolves when nothing of them lives, also of those that were ended before. */
  endAll(): Promise<void>;
}

/** @param fell Called when a server ends by itself. */
function createSlots(ports: PoolPorts, fell: (slot: Slot, reason: string) => void): Slots {
  const { clock } = ports;
  const slots = new Map<string, Slot>();
  const starts = new Map<string, Promise<Slot>>();
  const ending = new Set<Promise<void>>();
  const running = createRunning({ ...ports, folder: "lsp", what: "language servers" });
  const end = (slot: Slot): void => {
    if (slots.get(slot.key) === slot) slots.delete(slot.key);
    const tracked = endSlot(slot, ports.log)
      .then(() => running.ended(slot.starting.child))
      .finally(() => ending.delete(tracked));
    ending.add(tracked);
  };
  const used = (slot: Slot): void => {
    if (slot.leaving) return; // it ended between its start and this use: nothing is left that could idle
    slot.lastUsed = clock.mono();
    slot.cancelIdle();
    slot.cancelIdle = clock.after(IDLE_MS, () => end(slot));
  };
  const begin = async (key: string, launch: Launch): Promise<Slot> => {
    await running.sweep();
    const starting = await startClient(launch, ports);
    await running.started(starting.child);
    const startedAt = clock.mono();
    const state = { client: undefined, warm: false, lastUsed: startedAt, cancelIdle: () => undefined, leaving: false };
    const slot: Slot = { key, launch, starting, startedAt, ...state };
    slots.set(key, slot);
    used(slot);
    starting.onEnd((reason) => {
      if (slot.leaving) return;
      fell(slot, reason);
      end(slot);
    });
    const oldest =
      slots.size > LIVE_AT_MOST ? [...slots.values()].sort((a, b) => a.lastUsed - b.lastUsed)[0] : undefined;
    if (oldest !== undefined && oldest !== slot) end(oldest);
    return slot;
  };
  return {
    start: async (key, launch) => {
      const known = slots.get(key) ?? starts.get(key);
      if (known !== undefined) return known;
      const made = begin(key, launch).finally(() => starts.delete(key));
      starts.set(key, made);
      return made;
    },
    used,
    end: (key) => {
      const slot = slots.get(key);
      if (slot !== undefined) end(slot);
    },
    all: () => [...slots.values()],
    endAll: async () => {
      await Promise.allSettled(starts.values());
      for (const slot of [...slots.values()]) end(slot);
      await Promise.all(ending);
    },
  };
}

async function endSlot(slot: Slot, log: Log): Promise<void> {
  slot.leaving = true;
  slot.cancelIdle();
  try {
    await (slot.client === undefined ? slot.starting.kill() : slot.client.stop());
  } catch (error) {
    log.warning("a language server could not be ended", { ...placeOf(slot), error: String(error) });
  }
}
