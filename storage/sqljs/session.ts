import { assert } from "../../lib/base/errors.js";
import type { BodyKind, Engine } from "./engine.js";
import type { Session } from "./link.js";

/** A transaction to begin in a turn that the caller holds. */
export interface Turn {
  readonly kind: BodyKind;
  readonly label: string;
  /** Ends the turn. */
  readonly leave: () => void;
  /** Fail when the event loop turns before the end: the body waited for something else. */
  readonly strict: boolean;
}

/** Begin a transaction; its end ends the turn. */
export function engineSession(engine: Engine, { kind, label, leave, strict }: Turn): Session {
  try {
    engine.begin(kind, label);
  } catch (error) {
    leave();
    throw error;
  }
  const watch = strict ? watchTurn() : undefined;
  const end = () => {
    leave();
    assert(watch?.() !== true, `${label} waited for nothing but its transaction`);
  };
  return {
    all: async (sql, args) => engine.all(sql, args),
    run: async (sql, args) => engine.run(sql, args),
    emit: (event) => engine.emit(event),
    rewind: async () => engine.rewind(),
    commit: async () => finish(() => engine.commit(), engine, end),
    rollback: async () => {
      engine.rollback();
      const durable = engine.settled();
      end();
      await durable;
    },
  };
}

async function finish(commit: () => Promise<void>, engine: Engine, end: () => void): Promise<void> {
  let durable: Promise<void>;
  let failure: unknown;
  try {
    durable = commit();
  } catch (error) {
    failure = error ?? new Error("unknown");
    engine.rollback();
    durable = engine.settled();
  }
  end();
  await durable;
  if (failure !== undefined) throw failure;
}

/** @returns a function that says whether the event loop has turned since */
function watchTurn(): () => boolean {
  let turned = false;
  const watch = setImmediate(() => {
    turned = true;
  });
  return () => {
    clearImmediate(watch);
    return turned;
  };
}
