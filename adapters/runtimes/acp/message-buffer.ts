import type { RuntimeHost, RuntimeItem } from "../../../lib/contracts/runtimes/runtime.js";
import { blockText, noteMissing } from "./tool-call.js";

/** Characters of one message or thought of the agent. Above, the rest is left out of the transcript. */
const MESSAGE_CHARS = 1 << 20;

type Update = Readonly<Record<string, unknown>>;

/** The message and the thought of the agent that come in pieces at this moment. */
export interface MessageBuffer {
  /** A piece of a message. One with another id stores the message before it. */
  say(update: Update): Promise<void>;
  /** A piece of a thought. It ends the message before it. */
  think(update: Update): Promise<void>;
  /** Store the message as it is; the next piece begins another one. */
  flush(): Promise<void>;
  /** The thought so far, for the message or call that it precedes. The next piece begins another one. */
  takeThought(): { readonly reasoning?: string };
  /** The last message that was stored. */
  answer(): string;
}

/** @param store Adds a message to the transcript. */
export function createMessageBuffer(
  host: Pick<RuntimeHost, "live">,
  store: (item: Omit<RuntimeItem, "key">) => Promise<void>,
): MessageBuffer {
  let message = "";
  /** Characters of the message that were left out. */
  let missing = 0;
  let messageId: unknown;
  let thought = "";
  let answer = "";

  const takeThought = (): { readonly reasoning?: string } => {
    const reasoning = thought;
    thought = "";
    return reasoning === "" ? {} : { reasoning };
  };
  const flush = async (): Promise<void> => {
    const content = noteMissing(message, missing);
    message = "";
    missing = 0;
    messageId = undefined;
    if (content.trim() === "") return;
    answer = content;
    await store({ messages: [{ role: "assistant", content, ...takeThought() }] });
  };
  return {
    say: async (update) => {
      const delta = blockText(update["content"]);
      const id = update["messageId"];
      if (id !== undefined && id !== null && messageId !== undefined && id !== messageId) await flush();
      messageId = id ?? messageId;
      if (delta === "") return;
      host.live({ kind: "text", delta });
      const room = MESSAGE_CHARS - message.length;
      message += delta.slice(0, room);
      missing += Math.max(0, delta.length - room);
    },
    think: async (update) => {
      await flush();
      const delta = blockText(update["content"]);
      if (delta === "") return;
      host.live({ kind: "reasoning", delta });
      thought = (thought + delta).slice(0, MESSAGE_CHARS);
    },
    flush,
    takeThought,
    answer: () => answer,
  };
}
