import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isRecord, jsonOf } from "../../../lib/base/json/record.js";
import type { Log } from "../../../lib/base/log/log.js";
import { endProgram, endWithBelow } from "../../../lib/base/process/end-program.js";
import { createLines, MESSAGE_BYTES } from "../../../lib/base/process/lines.js";
import type { Child, Spawner } from "../../../lib/base/process/spawn.js";
import { createTail } from "../../../lib/base/process/stderr-tail.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import type { Ms } from "../../../lib/base/units.js";

/** A program that ends closes its output first: one that has closed it ends so soon. */
const CLOSED_OUTPUT_MS: Ms = 3_000;
/** What it sent last is still read, unless a process elsewhere holds its pipe open. */
const LAST_WORDS_MS: Ms = 1_000;
/** A program that prints text in place of messages is not logged line by line for ever. */
const LOGGED_LINES = 20;
const STRAY_CHARS = 200;

export interface WireParts {
  readonly child: Child;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every `session/update`, in the order of arrival. False: it cannot be taken any more, and the program is ended. */
  readonly onUpdate: (params: unknown) => boolean;
}

/** The messages of a program that was started. */
export interface Wire {
  readonly stream: Stream;
  /** Resolves with the reason when nothing more will come. */
  readonly ended: Promise<string>;
  /** The reason, once it has ended. */
  reason(): string | undefined;
  /** First line on its standard output that was not a message. */
  stray(): string | undefined;
  /** Ends the program and its group. Harmless twice. */
  close(): Promise<void>;
}

/**
 * Messages of the protocol, one JSON object a line. Only what is well-formed reaches the library, which would print the rest to our terminal;
 * `session/update` goes past it, because its schema refuses kinds that it does not know, and because updates must be read before the answer that
 * follows them.
 */
export function createWire(parts: WireParts): Wire {
  const { child, log } = parts;
  const asked = new Set<unknown>();
  const tail = createTail();
  const lines = createLines(MESSAGE_BYTES);
  let input: ReadableStreamDefaultController<AnyMessage> | undefined;
  let over: string | undefined;
  let stray: string | undefined;
  let strays = 0;
  let closing: Promise<void> | undefined;
  let tellEnded: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    tellEnded = resolve;
  });
  const finish = (reason: string): void => {
    if (over !== undefined) return;
    over = reason;
    tellEnded(reason);
    input?.close();
  };
  const close = (): Promise<void> => {
    closing ??= endProgram(parts).finally(() => finish("it was stopped"));
    return closing;
  };
  /** It is of no use any longer: what waits for it fails at once, and it is ended. */
  const giveUp = (reason: string): void => {
    finish(reason);
    closing ??= endWithBelow(parts.spawner, child.pid, 0);
    closing.catch((error: unknown) => log.warning("agent program could not be ended", { error: String(error) }));
  };
  const skip = (line: string): void => {
    stray ??= line.slice(0, STRAY_CHARS);
    strays += 1;
    if (strays <= LOGGED_LINES) log.warning("agent program: a line that is not a message", { chars: line.length });
  };
  const take = (line: string): void => {
    const message = jsonOf(line);
    if (isUpdate(message)) {
      if (!parts.onUpdate(message["params"])) giveUp("it sent updates faster than they can be stored");
      return;
    }
    const known = isRecord(message) ? readable(message, asked) : undefined;
    if (known === undefined) skip(line);
    else input?.enqueue(known);
  };
  child.onOutput((chunk, from) => {
    if (from === "stderr") return tail.heard(chunk.toString("utf8"));
    if (over !== undefined) return undefined;
    const read = lines.read(chunk);
    if (read === undefined) return giveUp(`it sent a message of more than ${MESSAGE_BYTES >> 20} MB`);
    for (const line of read) take(line);
    return undefined;
  });
  const died = async (): Promise<void> => {
    const { code, signal } = await child.exited;
    // What it started is of no use without it, and may hold the pipe open in which its last words are.
    closing ??= endWithBelow(parts.spawner, child.pid);
    await closing;
    await settlesWithin(parts.clock, LAST_WORDS_MS, child.closed);
    const how = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
    const last = tail.last();
    finish(last === "" ? how : `${how}; its last output on standard error:\n${last}`);
  };
  /** One that can tell nothing more is of no use, though it lives. */
  const mute = async (): Promise<void> => {
    await child.outputEnded;
    if (!(await settlesWithin(parts.clock, CLOSED_OUTPUT_MS, child.exited))) giveUp("it closed its output");
  };
  mute().catch((error: unknown) => finish(String(error)));
  died().catch((error: unknown) => finish(String(error)));
  return {
    stream: {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => {
          input = controller;
        },
        cancel: () => {
          input = undefined;
        },
      }),
      writable: new WritableStream<AnyMessage>({
        write: (message) => {
          if (over !== undefined) throw new Error("the program has ended");
          if ("method" in message && "id" in message) asked.add(message.id);
          child.write(`${JSON.stringify(message)}\n`);
        },
      }),
    },
    ended,
    reason: () => over,
    stray: () => stray,
    close,
  };
}

const isUpdate = (message: unknown): message is Record<string, unknown> =>
  isRecord(message) && message["method"] === "session/update" && !("id" in message);

/** A message that the library takes: a request, its cancellation, or the one response to a request of ours. */
function readable(message: Record<string, unknown>, asked: Set<unknown>): AnyMessage | undefined {
  const { method, id } = message;
  // Some programs leave the version out.
  const whole = { ...message, jsonrpc: "2.0" };
  if (typeof method === "string") {
    const request = typeof id === "string" || typeof id === "number";
    if (!request && method !== "$/cancel_request") return undefined;
    return whole as AnyMessage; // the library checks the parameters
  }
  if (!asked.delete(id)) return undefined;
  return withUsage(whole) as AnyMessage; // the library checks the result
}

/** Tokens of a prompt are not in the stable schema yet, which drops what it does not know; `_meta` passes. */
function withUsage(message: Record<string, unknown>): Record<string, unknown> {
  const { result } = message;
  if (!isRecord(result) || !isRecord(result["usage"])) return message;
  const meta = isRecord(result["_meta"]) ? result["_meta"] : {};
  return { ...message, result: { ...result, _meta: { ...meta, usage: result["usage"] } } };
}
