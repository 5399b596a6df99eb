import { basename } from "node:path";
import * as z from "zod";
import { defineMethod, type Methods } from "../backplane/methods.js";
import { AppError } from "../base/errors.js";
import { statPath } from "../base/fs/files.js";
import { type SessionId, toIso } from "../base/units.js";
import type { ChatApi, MessageRecord } from "../contracts/chat/chat.js";
import type { GatewayApi } from "../contracts/gateway/api.js";
import type { ChatAttachment, ChatConversation, SaidMessage } from "../contracts/gateway/conversations.js";
import { toMediaKind } from "../gateway/media/file-kinds.js";
import { markersIn } from "../gateway/media/file-markers.js";

const limit = z.int().min(1).max(200).default(50);
const session_key = z.string().min(1).max(1_000);
/** Longest wait for a message to be sent; it stays queued after that. */
const SEND_MS = 60_000;
/** Messages read to find those that people and the model said. */
const PAGE = 400;
const PAGES = 25;

/** The conversations of chats for other programs: lists, messages, files, sending (extensions part, 3). */
export function chatConversationMethods(chat: ChatApi, gateway: GatewayApi): Methods {
  const at = async (key: string): Promise<ChatConversation> => {
    const found = await gateway.conversation(key);
    if (found !== undefined) return found;
    throw new AppError("E_NOT_FOUND", `no conversation ${JSON.stringify(key)}`, {
      session_key: key,
      hint: "list the conversations and use a session_key of the list",
    });
  };
  return new Map([
    [
      "gateway.conversations",
      defineMethod({
        params: z.object({
          platform: z.string().min(1).max(40).optional(),
          search: z.string().min(1).max(200).optional(),
          limit,
        }),
        access: "read",
        run: (filter) => gateway.conversations(filter),
      }),
    ],
    [
      "gateway.conversation",
      defineMethod({
        params: z.object({ session_key: session_key.optional(), session_id: z.string().min(1).max(100).optional() }),
        access: "read",
        run: async ({ session_key, session_id }) => {
          const held = session_id === undefined ? undefined : await gateway.conversationOf(session_id as SessionId); // an unknown one is found nowhere
          return held ?? (session_key === undefined ? null : ((await gateway.conversation(session_key)) ?? null));
        },
      }),
    ],
    [
      "gateway.messages",
      defineMethod({
        params: z.object({ session_key, limit }),
        access: "read",
        run: async (given) =>
          (await saidIn(chat, (await at(given.session_key)).session_id, given.limit)).map(toSaidMessage),
      }),
    ],
    [
      "gateway.attachments",
      defineMethod({
        params: z.object({ session_key, message_id: z.int().min(1) }),
        access: "read",
        run: async ({ message_id, ...given }) => {
          const { session_id } = await at(given.session_key);
          const message = await findMessage(chat, session_id, message_id);
          if (message === undefined)
            throw new AppError("E_NOT_FOUND", `no message ${message_id} in ${given.session_key}`, { message_id });
          return attachmentsOf(message);
        },
      }),
    ],
    ["gateway.targets", defineMethod({ params: z.object({}), access: "read", run: () => gateway.targets() })],
    [
      "gateway.send",
      defineMethod({
        params: z.object({ target: z.string().min(1).max(2_000), text: z.string().min(1).max(100_000) }),
        access: "write",
        run: async (message, client) => gateway.send({ ...message, wait: SEND_MS }, client.signal),
      }),
    ],
  ]);
}

const isSaid = ({ role, content, kind }: MessageRecord): boolean =>
  (role === "user" || role === "assistant") && content.trim() !== "" && kind === undefined;

/** What people and the model said last, the newest at the end. Calls and results are passed over. */
async function saidIn(chat: ChatApi, session: SessionId, limit: number): Promise<readonly MessageRecord[]> {
  let said: readonly MessageRecord[] = [];
  for await (const page of pagesBefore(chat, session)) {
    said = [...page.filter(isSaid), ...said];
    if (said.length >= limit) break;
  }
  return said.slice(-limit);
}

async function findMessage(chat: ChatApi, session: SessionId, id: number): Promise<MessageRecord | undefined> {
  for await (const page of pagesBefore(chat, session)) {
    const found = page.find((message) => message.id === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Pages of a conversation, the newest first. */
async function* pagesBefore(chat: ChatApi, session: SessionId): AsyncGenerator<readonly MessageRecord[]> {
  let before: number | undefined;
  for (let pages = 0; pages < PAGES; pages++) {
    const page = await chat.messages(session, { limit: PAGE, ...(before === undefined ? {} : { before }) });
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    before = page[0]?.ordinal;
  }
}

const toSaidMessage = ({ id, role, content, created_at }: MessageRecord): SaidMessage => ({
  id,
  role: role === "user" ? "user" : "assistant",
  text: content,
  at: toIso(created_at),
});

/** What the line of a received file says, from `receiveMedia`. */
const SENT = /^\[The user sent [^\n]*?: (\/[^\n;\]]+)/gm;

/** Files that a message names: received ones, pictures, and those that an answer sent along. */
async function attachmentsOf({ role, content, pictures = [] }: MessageRecord): Promise<readonly ChatAttachment[]> {
  const names = new Map(pictures.map(({ path, name }) => [path, name]));
  const add = (path: string) => {
    if (!names.has(path)) names.set(path, basename(path));
  };
  for (const [, path = ""] of content.matchAll(SENT)) add(path);
  if (role === "assistant")
    for (const { path, bare, remote } of markersIn(content).markers) if (!bare && !remote) add(path);
  return Promise.all(
    [...names].map(async ([path, name]) => ({
      name,
      path,
      ...toMediaKind(name),
      bytes: (await statPath(path).catch(() => undefined))?.size ?? 0, // what cannot be looked at counts as gone
    })),
  );
}
