import * as z from "zod";
import type { SessionId } from "../../base/units.js";
import type { ChatApi, MessageRecord } from "../../contracts/chat/chat.js";
import type { MemoryEntry } from "../../contracts/memory/memory.js";
import { toMessageJson } from "../../contracts/wire/shapes/session-json.js";
import { defineCommand } from "../define.js";
import { plainLines } from "../render/plain.js";
import { messageText, minute } from "../render/sessions.js";
import { entryText, requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory why",
  summary: "Show the turn that an entry comes from.",
  topic: "memory",
  params: z.object({ id: z.string().describe("id of the entry, or its beginning") }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ id }, ctx) => {
    requireMaster(ctx);
    const entry = await ctx.memory.find(id);
    const { session, messages, text } = await originOf(entry, ctx.chat);
    const before = entry.replaced === undefined ? [] : [`It took the place of: ${plainLines(entry.replaced)}`];
    return {
      text: [entryText(entry), `Confidence ${entry.confidence}`, ...before, text].join("\n"),
      data: { entry, session, messages: messages.map(toMessageJson) },
    };
  },
});

interface Origin {
  readonly session: { readonly id: SessionId; readonly title: string | null; readonly exists: boolean } | null;
  readonly messages: readonly MessageRecord[];
  readonly text: string;
}

const SAID = {
  person: "You wrote it yourself.",
  import: "It was imported.",
  edited: "Somebody wrote it into the file.",
} as const;

async function originOf({ source, created_at }: MemoryEntry, chat: ChatApi): Promise<Origin> {
  if (source.kind !== "turn" || source.session === undefined)
    return {
      session: null,
      messages: [],
      text: source.kind === "turn" ? "Its conversation is not known." : SAID[source.kind],
    };
  const found = await chat.get(source.session);
  const by = source.by === undefined ? "" : `, asked by ${plainLines(source.by)}`;
  if (found === undefined)
    return {
      session: { id: source.session, title: null, exists: false },
      messages: [],
      text: `The conversation ${source.session} no longer exists${by}.`,
    };
  const messages = await turnMessages(chat, source.session, source.turn);
  const head = `From ${found.id} (${found.title ?? "untitled"}), ${minute(created_at)} UTC${by}:`;
  const turn = messages.length === 0 ? "The turn is not in it any more." : messages.map(messageText).join("\n\n");
  return {
    session: { id: found.id, title: found.title, exists: true },
    messages,
    text: `${head}\n\n${turn}`,
  };
}

const PAGE = 200;
const PAGES_AT_MOST = 100;

/** The messages of one turn, looked for from the end. */
async function turnMessages(
  chat: ChatApi,
  session: SessionId,
  turn: string | undefined,
): Promise<readonly MessageRecord[]> {
  const found: MessageRecord[] = [];
  let before: number | undefined;
  for (let page = 0; page < PAGES_AT_MOST; page++) {
    const messages = await chat.messages(session, { limit: PAGE, ...(before === undefined ? {} : { before }) });
    const own = messages.filter(({ turn_id }) => turn_id === turn);
    found.unshift(...own);
    const [first] = messages;
    if (first === undefined || messages.length < PAGE || (found.length > 0 && own.length < messages.length)) break;
    before = first.id;
  }
  return found;
}
