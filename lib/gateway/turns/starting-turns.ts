import { AppError } from "../../base/errors.js";

/** Why a turn was withdrawn, and the notice to its chat. */
export interface Fence {
  /** Reason that its rows keep. */
  readonly reason: string;
  /** Undefined: who withdrew it tells. */
  readonly told?: string;
}

/** A turn that has begun and is being made ready: its chat's conversation is opened and made smaller, its files are fetched. */
export interface Readying {
  /** Aborts when the turn is withdrawn before it is worked. */
  readonly withdrawn: AbortSignal;
  /** How it was withdrawn; nothing of it is done any more. */
  readonly fenced: Fence | undefined;
  /** It is worked from now on, or has ended. Harmless twice. */
  over(): void;
}

/** The turns that are being made ready, at most one for each session key. That may take as long as a turn. */
export interface AllReadying {
  /** The one of this session, which begins where it does not exist. */
  at(key: string): Readying;
  /** Withdraw the one of this session. @returns whether there is one */
  withdraw(key: string, how: Fence): boolean;
}

export function createStartingTurns(): AllReadying {
  const all = new Map<string, Readying & { withdraw(how: Fence): void }>();
  const begin = (key: string) => {
    const control = new AbortController();
    let fenced: Fence | undefined;
    const mine = {
      withdrawn: control.signal,
      get fenced() {
        return fenced;
      },
      withdraw: (how: Fence) => {
        fenced ??= how;
        control.abort(new AppError("E_INTERRUPTED", "the turn was withdrawn", { by: "user" }));
      },
      over: () => {
        if (all.get(key) === mine) all.delete(key);
      },
    };
    all.set(key, mine);
    return mine;
  };
  return {
    at: (key) => all.get(key) ?? begin(key),
    withdraw: (key, how) => {
      const found = all.get(key);
      found?.withdraw(how);
      return found !== undefined;
    },
  };
}
