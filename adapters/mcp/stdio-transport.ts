import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { createLines } from "../../lib/base/process/lines.js";
import type { Child, Spawner } from "../../lib/base/process/spawn.js";
import type { Clock } from "../../lib/base/time/clock.js";
import type { Ms } from "../../lib/base/units.js";
import type { ServerLog } from "./stderr-log.js";

/** The largest message that is taken: pictures and files come inside messages. */
const MESSAGE_BYTES = 32 << 20;
/** Bytes that a server may send between two messages of ours. More than this is useless and only takes time. */
const FLOOD_BYTES = 128 << 20;
/** Last words of a server that did not begin, as a status shows them. */
const REASON_CHARS = 300;
/** Extensions part, 2.3. */
const CLOSED_INPUT_MS: Ms = 2_000;
const TERM_MS: Ms = 3_000;

/** The transport of a program that was started, over its standard input and output. */
export interface StdioTransport extends Transport {
  readonly pid: number;
  /** These two show the kind that the negotiation of the revision takes it for. */
  readonly stderr: null;
  /** Resolves with the reason when nothing more will come. */
  readonly ended: Promise<string>;
}

interface StdioParts {
  readonly child: Child;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly log: ServerLog;
}

/** @returns a transport whose `close` ends the program: its input first, then its whole group */
export function createStdioTransport(parts: StdioParts): StdioTransport {
  const { child, log } = parts;
  let tellEnded: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    tellEnded = resolve;
  });
  let over = false;
  let received = 0;
  let begun = false;
  let closing: Promise<void> | undefined;
  const finish = (reason: string): void => {
    if (over) return;
    over = true;
    tellEnded(reason);
    transport.onclose?.();
  };
  const close = (): Promise<void> => {
    closing ??= endProgram(parts).finally(() => finish("it was stopped"));
    return closing;
  };
  /** It is no longer of use: waiters are notified at once, and it is ended. */
  const giveUp = (reason: string): void => {
    finish(reason);
    closing ??= parts.spawner.endGroup(child.pid, 0).then(() => undefined);
    closing.catch((error: unknown) => log.line(`it could not be ended: ${String(error)}`));
  };
  const lines = createLines(MESSAGE_BYTES);
  child.onOutput((chunk, stream) => {
    if (stream === "stderr") return log.heard(chunk.toString("utf8"));
    if (over) return undefined;
    received += chunk.length;
    if (received > FLOOD_BYTES) return giveUp(`it sent ${FLOOD_BYTES >> 20} MB that nobody asked for`);
    const read = lines.read(chunk);
    if (read === undefined) return giveUp(`it sent a message of more than ${MESSAGE_BYTES >> 20} MB`);
    for (const line of read) take(line);
    return undefined;
  });
  const take = (line: string): void => {
    const message = parseMessage(line);
    if (message === undefined) log.line(`(on standard output, no message) ${line}`);
    else {
      begun = true;
      transport.onmessage?.(message);
    }
  };
  child.exited.then(
    ({ code, signal }) => {
      log.end();
      // What it started is of no use without it.
      closing ??= parts.spawner.endGroup(child.pid, TERM_MS).then(() => undefined);
      const how = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
      // One that never began says why in its last words.
      const why = begun ? "" : log.last().slice(0, REASON_CHARS);
      finish(why === "" ? how : `${how}: ${why}`);
    },
    (error: unknown) => finish(String(error)),
  );
  const transport: StdioTransport = {
    pid: child.pid,
    stderr: null,
    ended,
    start: async () => undefined,
    send: async (message) => {
      if (over) throw new Error("the program has ended");
      received = 0;
      child.write(`${JSON.stringify(message)}\n`);
    },
    close,
  };
  return transport;
}

/** Close its input, 2 s, SIGTERM to its group, 3 s, SIGKILL. */
async function endProgram({ child, spawner, clock }: StdioParts): Promise<void> {
  child.closeInput();
  const waiting = new AbortController();
  const left = clock.sleep(CLOSED_INPUT_MS, waiting.signal).catch(() => undefined);
  await Promise.race([child.exited.catch(() => undefined), left]);
  waiting.abort();
  await spawner.endGroup(child.pid, TERM_MS);
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    const is = typeof parsed === "object" && parsed !== null && Reflect.get(parsed, "jsonrpc") === "2.0";
    return is ? (parsed as JSONRPCMessage) : undefined; // the client checks the rest of its form
  } catch {
    return undefined; // a program that prints something else
  }
}
