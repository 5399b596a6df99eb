import { isRecord } from "../../../lib/base/json/record.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Program } from "./program.js";

/** How long the end of an interrupted turn is waited for (extensions part, 8.9). */
const END_MS: Ms = 10_000;

type Params = Readonly<Record<string, unknown>>;

interface Parts {
  readonly clock: Clock;
  readonly log: Log;
  readonly program: () => Program | undefined;
  /** A turn was interrupted. */
  readonly told: () => void;
}

/**
 * Turns that the program begins by itself, between those of the user: its goals do so. Without a turn of the conversation their items could not be
 * stored and their questions not be asked, so they are interrupted.
 */
export interface OwnTurns {
  /** `between`: it belongs to the thread of the conversation, and no turn of the user runs. True: it concerned such a turn. */
  notification(method: string, params: Params, between: boolean): boolean;
  /** Resolves when none runs in this program: the input of the user would go into it. */
  over(program: Program): Promise<void>;
}

const turnIdIn = ({ turn }: Params): unknown => (isRecord(turn) ? turn["id"] : undefined);

export function createOwnTurns({ clock, log, program, told }: Parts): OwnTurns {
  let running: { readonly id: unknown; readonly ended: Promise<void>; readonly end: () => void } | undefined;
  const refuse = ({ threadId }: Params, id: unknown): void => {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    running = { id, ended, end };
    program()
      ?.request("turn/interrupt", { threadId, turnId: id })
      .catch((error: unknown) => log.warning("a turn of the app-server was not interrupted", { error: String(error) }));
    told();
  };
  return {
    notification: (method, params, between) => {
      const id = turnIdIn(params);
      if (method === "turn/started" && between) {
        refuse(params, id);
        return true;
      }
      if (method !== "turn/completed" || running === undefined || running.id !== id) return false;
      running.end();
      running = undefined;
      return true;
    },
    over: async (at) => {
      if (running === undefined) return;
      const { ended } = running;
      if (!(await settlesWithin(clock, END_MS, Promise.race([ended, at.ended]))))
        log.warning("a turn of the app-server did not end after its interrupt");
      running = undefined;
    },
  };
}
