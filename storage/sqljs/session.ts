import { assert } from "../../lib/base/errors.js";
import type { Engine } from "./engine.js";
import type { Session } from "./link.js";
import type { BodyKind } from "./transactions.js";

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
    engine.tx.begin(kind, label);
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
    all: async (sql, args) => engine.tx.all(sql, args),
    text: async (sql, args) => engine.tx.text(sql, args),
    run: async (sql, args) => engine.tx.run(sql, args),
    emit: (event) => engine.tx.emit(event),
    rewind: async () => engine.tx.rewind(),
    commit: async () => finish(() => engine.tx.commit(), engine, end),
    rollback: async () => {
      engine.tx.rollback();
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
    engine.tx.rollback();
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
