import type { Args, Closing, DomainEvent, Row, Step, StoredEvent } from "../store.js";
import type { FileEngine, ScriptResult } from "./engine.js";

/** What a host asks of an engine; the same messages go to the thread. They are executed strictly in the order in which they are sent. */
export type Op =
  | {
      readonly op:
        | "open"
        | "upgrade"
        | "begin"
        | "savepoint"
        | "release"
        | "undo"
        | "commit"
        | "rollback"
        | "lastSeq"
        | "check";
    }
  | { readonly op: "close"; readonly how: Closing }
  | { readonly op: "define" | "reached"; readonly to: number }
  | { readonly op: "all"; readonly sql: string; readonly args: Args; readonly mayWrite: boolean }
  | { readonly op: "run"; readonly sql: string; readonly args: Args }
  /** `alone`: it is all that its transaction holds. */
  | {
      readonly op: "script";
      readonly steps: readonly Step[];
      readonly events: readonly DomainEvent[];
      readonly alone: boolean;
    }
  | { readonly op: "emit"; readonly events: readonly DomainEvent[] }
  | { readonly op: "checkpoint"; readonly mode: "PASSIVE" | "TRUNCATE" }
  | { readonly op: "extend"; readonly name: string }
  | { readonly op: "vacuumInto"; readonly path: string };

/** Answers of the operations that have one. */
export interface Answers {
  /** Layouts that the file has not reached yet. */
  readonly open: readonly number[];
  readonly commit: number;
  readonly lastSeq: number;
  readonly check: string[];
  readonly all: Row[];
  readonly run: number;
  readonly script: ScriptResult;
  readonly emit: StoredEvent[];
}

export type AnswerOf<O extends Op> = O["op"] extends keyof Answers ? Answers[O["op"]] : unknown;

/** The way from a host to its engine. */
export interface Connection {
  send<O extends Op>(op: O): Promise<AnswerOf<O>>;
  /** Nothing is sent after it. Harmless twice. */
  end(how: Closing): Promise<void>;
}

/** Carry one operation out. */
export async function execute(engine: FileEngine, op: Op): Promise<unknown> {
  switch (op.op) {
    case "open":
      return engine.open();
    case "define":
      return engine.define(op.to);
    case "reached":
      return engine.reached(op.to);
    case "all":
      return engine.all(op.sql, op.args, op.mayWrite);
    case "run":
      return engine.run(op.sql, op.args);
    case "script":
      return engine.script(op.steps, op.events, op.alone);
    case "emit":
      return engine.emit(op.events);
    case "checkpoint":
      return engine.checkpoint(op.mode);
    case "extend":
      return engine.extend(op.name);
    case "vacuumInto":
      return engine.vacuumInto(op.path);
    case "close":
      return engine.close(op.how);
    default:
      return engine[op.op]();
  }
}

/**
 * The engine in this thread. Operations run in the order in which they were sent; an answer takes microtasks only, so the event loop does
 * not turn between BEGIN and COMMIT.
 */
export function inlineConnection(engine: FileEngine): Connection {
  let tail: Promise<unknown> = Promise.resolve();
  const inOrder = <T>(action: () => Promise<T>): Promise<T> => {
    const done = tail.then(action);
    tail = done.catch(() => undefined); // the sender gets the failure; the next operation runs anyway
    return done;
  };
  return {
    send: <O extends Op>(op: O) => inOrder(async () => (await execute(engine, op)) as AnswerOf<O>), // `execute` answers each operation with its own type
    end: (how) => inOrder(async () => engine.close(how)),
  };
}
