import type { CallOptions, Client } from "../../backplane/client.js";
import { AppError } from "../../base/errors.js";
import type { Home } from "../../base/home.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { OpenQuestion } from "../../contracts/chat/questions.js";
import type { ChatAttachment, ChatConversation, SaidMessage } from "../../contracts/gateway/conversations.js";
import type { KnownTarget, SentMessage } from "../../contracts/gateway/messages.js";
import type { ServedAgent, ServedDecision } from "../../contracts/mcp/served.js";
import type { ServedEvents } from "./served-events.js";

/** How long a call waits for an owner that is starting. */
const OWNER_MS: Ms = 3_000;

const ANSWERS = { "allow-once": "once", "allow-always": "always", deny: "deny" } as const satisfies Record<
  ServedDecision,
  string
>;

export interface ServedAgentDeps {
  readonly client: Client;
  readonly events: ServedEvents;
  readonly clock: Clock;
  readonly home: Pick<Home, "dir">;
}

/** The agent as its MCP server sees it: a client of the owner. */
export function createServedAgent({ client, events, clock, home }: ServedAgentDeps): ServedAgent {
  const ownerIsThere = async (signal: AbortSignal) => {
    if (client.connected) return;
    if (!(await connected(client, clock, signal)) && !client.connected)
      throw new AppError("E_OWNER", `no owner process is running for ${home.dir}`, {
        hint: "start one: agent, agent --headless or agent gateway run",
      });
  };
  const ask = async <T>(method: string, params: object, options: CallOptions & { signal: AbortSignal }): Promise<T> => {
    await ownerIsThere(options.signal);
    return await client.call<T>(method, params, options);
  };
  const read = <T>(method: string, params: object, signal: AbortSignal) =>
    ask<T>(method, params, { signal, repeat: true });
  return {
    conversations: (filter, signal) => read<ChatConversation[]>("gateway.conversations", { ...filter }, signal),
    conversation: async (session_key, signal) => {
      const found = await read<ChatConversation | null>("gateway.conversation", { session_key }, signal);
      if (found !== null) return found;
      throw new AppError("E_NOT_FOUND", `no conversation ${JSON.stringify(session_key)}`, {
        hint: "conversations_list shows the session_key of each",
      });
    },
    messages: (session_key, limit, signal) => read<SaidMessage[]>("gateway.messages", { session_key, limit }, signal),
    attachments: (session_key, message_id, signal) =>
      read<ChatAttachment[]>("gateway.attachments", { session_key, message_id }, signal),
    events: async (filter, limit, signal) => {
      await ownerIsThere(signal);
      const late = new AbortController();
      const cancel = clock.after(OWNER_MS, () => late.abort());
      try {
        return await events.after(filter, limit, AbortSignal.any([signal, late.signal]));
      } finally {
        cancel();
      }
    },
    nextEvent: (filter, waitMs, signal) => events.next(filter, waitMs, signal),
    send: (target, text, signal) => ask<SentMessage>("gateway.send", { target, text }, { signal }),
    channels: async (platform, signal) => {
      const all = await read<KnownTarget[]>("gateway.targets", {}, signal);
      return all.filter(({ target }) => platform === undefined || target.split(":")[0] === platform);
    },
    approvals: async (signal) =>
      (await read<OpenQuestion[]>("question.list", {}, signal)).filter((one) => one.kind === "approval"),
    respond: async (request, decision, signal) => {
      await ask("approval.respond", { request, answer: ANSWERS[decision] }, { signal });
    },
  };
}

/** False: no owner was met in time. */
function connected(client: Client, clock: Clock, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (there: boolean) => {
      cancel();
      forget();
      signal.removeEventListener("abort", stop);
      resolve(there);
    };
    const stop = () => end(false);
    const cancel = clock.after(OWNER_MS, stop);
    const forget = client.onConnect(() => end(true));
    signal.addEventListener("abort", stop, { once: true });
    if (client.connected) end(true);
    else if (signal.aborted) end(false);
  });
}
