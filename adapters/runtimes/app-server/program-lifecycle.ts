import type { Ms } from "../../../lib/base/units.js";
import type { RuntimeParts, RuntimePlace } from "../../../lib/contracts/runtimes/runtime.js";
import { type Program, type ProgramEvents, startProgram } from "./program.js";
import { chooseProvider, type Thread } from "./session.js";

/** Extensions part, 8.2: a program without work is ended, and started again by the next turn. */
const IDLE_MS: Ms = 15 * 60_000;

/** A program that lives, and what was agreed with it. */
export interface Connection {
  readonly program: Program;
  /** Provider that the program is to use; undefined: its own. */
  provider: string | undefined;
  /** The thread that the program has loaded. */
  thread: Thread | undefined;
}

/** Starts the program of a conversation when a turn needs it, and ends it when it has no work. */
export interface ProgramLifecycle {
  /** The program that lives, or a new one. @throws ProgramFailure */
  ready(signal: AbortSignal): Promise<Connection>;
  current(): Connection | undefined;
  /** End the program. One that ends at this moment is waited for as well. */
  close(): Promise<void>;
  closeInBackground(): void;
  /** End the program when no turn comes for 15 minutes. */
  startIdleTimer(): void;
  stopIdleTimer(): void;
}

/** @see ProgramLifecycle */
export function createProgramLifecycle(
  parts: RuntimeParts,
  place: RuntimePlace,
  events: ProgramEvents,
): ProgramLifecycle {
  const { clock, log } = parts;
  let connection: Connection | undefined;
  let ending: Promise<void> = Promise.resolve();
  let stopIdleTimer: () => void = () => undefined;

  const close = async (): Promise<void> => {
    stopIdleTimer();
    ending = connection?.program.close() ?? ending;
    connection = undefined;
    await ending;
  };
  const closeInBackground = (): void => {
    close().catch((error: unknown) => log.warning("app-server could not be ended", { error: String(error) }));
  };
  return {
    ready: async (signal) => {
      if (connection !== undefined && connection.program.reason() === undefined) return connection;
      await close();
      const started: Connection = {
        program: await startProgram(parts, place, events, signal),
        provider: undefined,
        thread: undefined,
      };
      // Known before it is asked anything more, so that an interrupt ends it.
      connection = started;
      started.provider = await chooseProvider(started.program, place);
      return started;
    },
    current: () => connection,
    close,
    closeInBackground,
    startIdleTimer: () => {
      stopIdleTimer();
      if (connection !== undefined) stopIdleTimer = clock.after(IDLE_MS, closeInBackground);
    },
    stopIdleTimer: () => stopIdleTimer(),
  };
}
