import type { Log } from "../../../lib/base/log/log.js";
import { threadName } from "./address.js";
import type { Api } from "./api.js";
import type { Channels } from "./channels.js";
import { MessageShape, SentShape } from "./wire.js";

/** A thread that a message opens has the message's id, so it is known before it is there. */
export interface Wanted {
  readonly parent: string;
  readonly name: string;
}

/** Threads that the bot opens on messages that it is called with. */
export interface Threads {
  /** A message is to be answered in a thread of its own. It is opened when the work on the message begins, not while it is being written. */
  will(thread: string, wanted: Wanted): void;
  /** Open what was announced, once. Resolves with where messages for the thread go; null: the channel itself. */
  place(thread: string): Promise<string | null>;
  /** Open it although this process did not announce it. */
  open(thread: string, parent: string): Promise<string | null>;
}

const ANNOUNCED = 2000;
const ARCHIVE_MINUTES = 1440;
const ALREADY = 160004;

export interface ThreadsDeps {
  readonly api: Api;
  readonly channels: Pick<Channels, "wrote">;
  readonly log: Log;
  /** Ends with the connection, not with the one message that asks first. */
  readonly signal: () => AbortSignal;
}

export function createThreads({ api, channels, log, signal }: ThreadsDeps): Threads {
  const announced = new Map<string, Wanted>();
  /** Those that were opened or could not be; a thread may have become another. */
  const opened = new Map<string, Promise<string | null>>();
  const bound = (map: Map<string, unknown>) => {
    const [oldest] = map.keys();
    if (map.size > ANNOUNCED && oldest !== undefined) map.delete(oldest);
  };
  const begin = (thread: string, wanted: Wanted) => {
    const made = opened.get(thread) ?? make(api, log, { thread, wanted, signal: signal() });
    announced.delete(thread);
    opened.set(thread, made);
    bound(opened);
    return made.then((id) => {
      if (id !== null) channels.wrote(id);
      return id;
    });
  };
  return {
    will: (thread, wanted) => {
      announced.set(thread, wanted);
      bound(announced);
    },
    place: async (thread) => {
      const wanted = announced.get(thread);
      return wanted === undefined ? (opened.get(thread) ?? thread) : begin(thread, wanted);
    },
    open: async (thread, parent) => {
      const answer = await api.call("GET", `/channels/${parent}/messages/${thread}`, { signal: signal() });
      const message = answer.ok ? MessageShape.safeParse(answer.result).data : undefined;
      if (message === undefined) return null;
      opened.delete(thread);
      return begin(thread, { parent, name: threadName(message.content.replace(/<@!?\d+>/g, "")) });
    },
  };
}

interface Making {
  readonly thread: string;
  readonly wanted: Wanted;
  readonly signal: AbortSignal;
}

/** On the message; else on a message of ours; else nowhere. */
async function make(api: Api, log: Log, { thread, wanted, signal }: Making): Promise<string | null> {
  const body = { name: wanted.name, auto_archive_duration: ARCHIVE_MINUTES };
  const on = (message: string) =>
    api.call("POST", `/channels/${wanted.parent}/messages/${message}/threads`, { body, signal });
  const answer = await on(thread);
  if (answer.ok || answer.code === ALREADY) return thread;
  log.warning("no thread can be opened on a message", { tag: "msgd", error: answer.seen.error });
  // A key of its own: who begins again finds the same message.
  const starter = {
    content: `🧵 ${wanted.name}`,
    nonce: `t${thread}`.slice(-20),
    enforce_nonce: true,
    allowed_mentions: { parse: [] },
  };
  const sent = await api.call("POST", `/channels/${wanted.parent}/messages`, { body: starter, signal });
  const id = sent.ok ? SentShape.safeParse(sent.result).data?.id : undefined;
  if (id === undefined) return null;
  const second = await on(id);
  return second.ok || second.code === ALREADY ? id : null;
}
