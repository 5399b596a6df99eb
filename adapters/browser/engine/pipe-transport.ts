import type { ConnectOverCDPTransport } from "playwright-core";
import { nextTurn } from "../../../lib/base/async/next-turn.js";
import { isRecord } from "../../../lib/base/json/record.js";
import type { ChildChannel } from "../../../lib/base/process/spawn.js";
import { navigationRefusal } from "./navigation.js";

/** The largest message that is taken: screenshots and texts of pages come inside messages. */
const MESSAGE_BYTES = 256 << 20;

/** One event of the browser's protocol. */
export type EventListener = (params: Readonly<Record<string, unknown>>) => void;

export interface PipeTransport extends ConnectOverCDPTransport {
  /** Calls `listener` for each event of this method, before the driver sees it. @returns what stops that */
  on(method: string, listener: EventListener): () => void;
  /** Nothing more will come. Harmless twice. */
  end(reason: string): void;
}

/**
 * The protocol over two pipes: messages end with a zero byte. No other process on this machine can reach the browser by them, unlike a debugging port; and
 * their end is the end of the browser.
 */
export function createPipeTransport(channel: ChildChannel, giveUp: (reason: string) => void): PipeTransport {
  const listeners = new Map<string, Set<EventListener>>();
  const messages = splitMessages();
  let over = false;
  let onclose: (reason?: string) => void = () => undefined;
  let ended = "";
  const receive = (message: object): void => {
    const { method, params } = message as { method?: unknown; params?: unknown }; // both are checked before use
    if (typeof method === "string" && isRecord(params)) for (const one of listeners.get(method) ?? []) one(params);
    transport.onmessage?.(message);
  };
  // Each in a turn of its own: what the driver does with an answer has to be done before it sees the event that came with it.
  const later = (message: object): void => {
    nextTurn()
      .then(() => (over ? undefined : receive(message)))
      .catch((error: unknown) => giveUp(`a message was not understood: ${String(error)}`));
  };
  channel.onData((chunk) => {
    if (over) return;
    const read = messages(chunk);
    if (read === undefined) giveUp(`it sent a message of more than ${MESSAGE_BYTES >> 20} MB`);
    else for (const text of read) later(JSON.parse(text) as object); // the browser sends objects only
  });
  const transport: PipeTransport = {
    get onclose() {
      return onclose;
    },
    // A browser may have ended before the driver listens: it would wait for its whole time.
    set onclose(listener) {
      onclose = listener;
      if (!over) return;
      nextTurn()
        .then(() => listener(ended))
        .catch((error: unknown) => giveUp(String(error)));
    },
    send: (message) => {
      if (over) return;
      const refused = refusedMessage(message);
      if (refused === undefined) channel.send(`${JSON.stringify(message)}\0`);
      else later(refused);
    },
    close: () => giveUp("it was stopped"),
    on: (method, listener) => {
      const all = listeners.get(method) ?? new Set();
      listeners.set(method, all.add(listener));
      return () => all.delete(listener);
    },
    end: (reason) => {
      if (over) return;
      over = true;
      ended = reason;
      onclose(reason);
    },
  };
  return transport;
}

/** Commands that bring a page to an address. */
const NAVIGATING: ReadonlySet<string> = new Set(["Page.navigate", "Target.createTarget"]);

/** The answer to a command that would show a file or a page of the browser itself, for any asker: a tool, or the driver for one. */
function refusedMessage(message: object): object | undefined {
  const { id, method, params, sessionId } = message as Readonly<Record<string, unknown>>; // a message is a JSON object
  if (typeof method !== "string" || !NAVIGATING.has(method) || !isRecord(params)) return undefined;
  const why = navigationRefusal(String(params["url"] ?? ""));
  return why === undefined ? undefined : { id, sessionId, error: { code: -32000, message: why } };
}

/** Texts between zero bytes; undefined: one is too long. */
function splitMessages(): (chunk: Buffer) => readonly string[] | undefined {
  let waiting: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    const texts: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(0); at !== -1; at = chunk.indexOf(0, from)) {
      texts.push(Buffer.concat([...waiting, chunk.subarray(from, at)]).toString("utf8"));
      waiting = [];
      size = 0;
      from = at + 1;
    }
    if (from < chunk.length) waiting.push(chunk.subarray(from));
    size += chunk.length - from;
    return size > MESSAGE_BYTES ? undefined : texts;
  };
}
