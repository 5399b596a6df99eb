import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { type SessionId, toIso } from "../../base/units.js";
import type { ChatApi, MessageRecord, SessionRecord } from "../../contracts/chat/chat.js";
import { toMessageJson } from "../../contracts/wire/shapes/session-json.js";
import type { PagePlace, SessionPage, TurnEnd } from "../../contracts/wire/shapes/session-page.js";
import { addCallPreviews, type PreviewParts } from "./call-previews.js";

const id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // proved by the look-up that follows
const place = z.object({ session_id: id, ordinal: z.int() });

const MOST_CHARS = 500_000; // of one page: it has to fit into one message to a client
const MOST_FOUND = 1_000;
const MOST_SEGMENTS = 1_000;

/** A page while it is put together. */
interface Page extends Omit<SessionPage, "messages"> {
  readonly messages: readonly MessageRecord[];
}

/** A conversation in pages over all its segments, and looking for a text in it, for front ends that show it (workspace part, 5.3). */
export function sessionPageMethods(chat: ChatApi, parts: PreviewParts): Methods {
  return new Map([
    [
      "session.page",
      defineMethod({
        params: z.object({
          session_id: id,
          before: place.optional(),
          after: place.optional(),
          limit: z.int().min(1).max(200).default(200),
        }),
        access: "read",
        run: async ({ session_id, before, after, limit }): Promise<SessionPage> => {
          const page =
            after === undefined
              ? await pageBefore(chat, { session: session_id, before, limit })
              : await pageAfter(chat, { session: session_id, after, limit });
          const messages = await addCallPreviews(page.messages.map(toMessageJson), parts);
          return { ...page, messages, turns: await turnsOf(chat, page.messages) };
        },
      }),
    ],
    [
      "session.message",
      defineMethod({
        params: place,
        access: "read",
        run: async ({ session_id, ordinal }) =>
          (await chat.messages(session_id, { after: ordinal - 1, limit: 1 })).map(toMessageJson)[0] ?? null,
      }),
    ],
    [
      "session.find",
      defineMethod({
        params: z.object({ session_id: id, text: z.string().min(1).max(1_000) }),
        access: "read",
        run: async ({ session_id, text }) => findIn(chat, session_id, text),
      }),
    ],
  ]);
}

/** Turns whose last message is one of these, once they have ended. */
async function turnsOf(chat: ChatApi, messages: readonly MessageRecord[]): Promise<readonly TurnEnd[]> {
  const last = messages.at(-1);
  if (last === undefined) return [];
  const [next] = await chat.messages(last.session_id, { after: last.ordinal, limit: 1 });
  const turns = new Set(messages.map(({ turn_id }) => turn_id));
  if (next !== undefined) turns.delete(next.turn_id);
  const ends = await chat.turnEnds([...new Set(messages.map(({ session_id }) => session_id))], [...turns]);
  return ends.map(({ started_at, ended_at, cost_usd, ...end }) => ({
    ...end,
    ended_at: toIso(ended_at),
    duration_ms: ended_at - started_at,
    estimated_cost_usd: cost_usd,
  }));
}

interface Before {
  readonly session: SessionId;
  readonly before: PagePlace | undefined;
  readonly limit: number;
}

/** The newest messages before a place. What a segment repeats of the one before it is left out: that stands there. */
async function pageBefore(chat: ChatApi, { session, before, limit }: Before): Promise<Page> {
  const running = before === undefined && (await chat.turnIsOpen(session)); // first: a call that ends meanwhile is read with its result
  let now: SessionRecord | undefined = await chat.get((before?.session_id as SessionId | undefined) ?? session); // a place names a session
  let ordinal = before?.ordinal;
  let messages: readonly MessageRecord[] = [];
  for (let segments = 0; now !== undefined && messages.length < limit && segments < MOST_SEGMENTS; segments++) {
    const page = await chat.messages(now.id, { limit, ...(ordinal === undefined ? {} : { before: ordinal }) });
    messages = [...originals(now, page), ...messages].slice(-limit);
    const whole = page.length < limit; // else the segment goes on above: perhaps all of this were copies
    ordinal = whole ? undefined : page[0]?.ordinal;
    if (whole) now = await earlierSegment(chat, now);
  }
  const fitted = withoutLooseResults(fitting(messages.toReversed()).toReversed());
  const first = fitted[0];
  const more = first !== undefined && (await hasBefore(chat, first));
  return {
    messages: fitted,
    older: first !== undefined && more ? { session_id: first.session_id, ordinal: first.ordinal } : null,
    newer: null,
    ...(before === undefined ? { running } : {}),
  };
}

async function hasBefore(chat: ChatApi, { session_id, ordinal }: MessageRecord): Promise<boolean> {
  if ((await chat.messages(session_id, { before: ordinal, limit: 1 })).length > 0) return true;
  const session = await chat.get(session_id);
  return session !== undefined && (await earlierSegment(chat, session)) !== undefined;
}

async function earlierSegment(
  chat: ChatApi,
  { parent_session_id, relation }: SessionRecord,
): Promise<SessionRecord | undefined> {
  return relation === "compaction" && parent_session_id !== null ? chat.get(parent_session_id) : undefined;
}

const originals = ({ relation }: SessionRecord, page: readonly MessageRecord[]): readonly MessageRecord[] =>
  relation === "compaction" ? page.filter(({ copiedFrom }) => copiedFrom === undefined) : page;

/** As many as fit into a page, at least one. */
function fitting(messages: readonly MessageRecord[]): readonly MessageRecord[] {
  let chars = 0;
  const end = messages.findIndex(({ content }, place) => {
    chars += content.length;
    return place > 0 && chars > MOST_CHARS;
  });
  return end < 0 ? messages : messages.slice(0, end);
}

/** Results go with the calls that they answer: those that lead a page are left to the page before it. */
function withoutLooseResults(messages: readonly MessageRecord[]): readonly MessageRecord[] {
  const first = messages.findIndex(({ role }) => role !== "tool");
  return first <= 0 ? messages : messages.slice(first);
}

/** The oldest messages behind a place. */
async function pageAfter(
  chat: ChatApi,
  { session, after, limit }: { readonly session: SessionId; readonly after: PagePlace; readonly limit: number },
): Promise<Page> {
  const segments = await chainFrom(chat, session, after.session_id);
  let messages: readonly MessageRecord[] = [];
  let full = false;
  for (const segment of segments) {
    let from: number | undefined = segment.id === after.session_id ? after.ordinal : 0;
    while (from !== undefined && messages.length < limit) {
      const page: readonly MessageRecord[] = await chat.messages(segment.id, { after: from, limit });
      messages = [...messages, ...originals(segment, page)];
      from = page.length < limit ? undefined : page.at(-1)?.ordinal;
    }
    full = messages.length >= limit;
    if (full) break;
  }
  const fitted = fitting(messages);
  const cut = full || fitted.length < messages.length;
  const whole = cut ? withoutOpenCalls(fitted) : fitted;
  const last = whole.at(-1);
  return {
    messages: whole,
    older: null,
    newer: cut && last !== undefined ? { session_id: last.session_id, ordinal: last.ordinal } : null,
  };
}

/** Calls whose results may come with the next page are left to it. */
function withoutOpenCalls(messages: readonly MessageRecord[]): readonly MessageRecord[] {
  const last = messages.findLastIndex(({ role }) => role !== "tool");
  return last > 0 && (messages[last]?.toolCalls?.length ?? 0) > 0 ? messages.slice(0, last) : messages;
}

/** Segments from an older one up to the newest. */
async function chainFrom(chat: ChatApi, newest: SessionId, oldest: string): Promise<readonly SessionRecord[]> {
  const chain: SessionRecord[] = [];
  for (
    let now = await chat.get(newest);
    now !== undefined && chain.length < MOST_SEGMENTS;
    now = await earlierSegment(chat, now)
  ) {
    chain.unshift(now);
    if (now.id === oldest) break;
  }
  return chain;
}

/** Messages that hold a text, oldest first: the newest thousand of them. */
async function findIn(
  chat: ChatApi,
  session: SessionId,
  text: string,
): Promise<{ readonly found: readonly PagePlace[] }> {
  const wanted = text.toLowerCase();
  const found: PagePlace[] = [];
  let before: PagePlace | undefined;
  for (;;) {
    const page: Page = await pageBefore(chat, { session, before, limit: 200 });
    const hits = page.messages.filter(
      ({ content, role, kind }) => role !== "tool" && kind === undefined && content.toLowerCase().includes(wanted),
    );
    found.unshift(...hits.map((hit) => ({ session_id: hit.session_id, ordinal: hit.ordinal, id: hit.id })));
    if (page.older === null || found.length >= MOST_FOUND) return { found: found.slice(-MOST_FOUND) };
    before = page.older;
  }
}
