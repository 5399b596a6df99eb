import type { SessionFilter, SessionRecord } from "../../contracts/chat/chat.js";
import { toListedJson } from "../../contracts/wire/shapes/session-json.js";
import type { CommandContext, CommandResult } from "../define.js";
import { chatLine, sessionLine } from "../render/sessions.js";

/** Sessions that are looked through for words of their titles. */
const LOOKED_AT = 1_000;

type Listed = SessionRecord & { readonly preview: string };

/** The list of sessions, newest activity first; `words`: only those whose title or first message has them. */
export async function listSessionRows(filter: SessionFilter, ctx: CommandContext, words = ""): Promise<CommandResult> {
  const found = await ctx.chat.list(words === "" ? filter : { ...filter, limit: LOOKED_AT });
  const sessions = fitting(found, words).slice(0, filter.limit ?? 20);
  if (sessions.length > 0 || filter.cwd === undefined) return shown(sessions, ctx, words);
  const { cwd: _here, ...anywhere } = filter;
  const elsewhere =
    fitting(await ctx.chat.list({ ...anywhere, limit: words === "" ? 1 : LOOKED_AT }), words).length > 0;
  return shown(sessions, ctx, words, elsewhere ? "--all-dirs lists sessions of other directories." : undefined);
}

/** Sessions of this directory, then those of others, each newest activity first. */
export async function nearFirst(ctx: CommandContext, limit: number): Promise<readonly Listed[]> {
  const here = await ctx.chat.list({ limit, cwd: ctx.cwd });
  const known = new Set(here.map(({ id }) => id));
  const others = (await ctx.chat.list({ limit: limit + here.length })).filter(({ id }) => !known.has(id));
  return [...here, ...others].slice(0, limit);
}

/** The same as an answer, to choose one from. */
export async function listedNearFirst(ctx: CommandContext, limit: number, words = ""): Promise<CommandResult> {
  const found = await nearFirst(ctx, words === "" ? limit : LOOKED_AT);
  return shown(fitting(found, words).slice(0, limit), ctx, words);
}

function fitting(sessions: readonly Listed[], words: string): readonly Listed[] {
  const wanted = words.toLowerCase();
  return sessions.filter(({ title, preview, id }) =>
    `${title ?? ""}\n${preview}\n${id}`.toLowerCase().includes(wanted),
  );
}

/** In a chat they are numbered, but for the one that is open: `/resume 2` goes on with the second. */
function linesOf(sessions: readonly Listed[], ctx: CommandContext, words: string): readonly string[] {
  if (ctx.origin === undefined) return sessions.map((session) => sessionLine(session, ctx.cwd));
  const others = words === "" ? sessions.filter(({ id }) => id !== ctx.session) : [];
  return sessions.map((session) => {
    const place = others.indexOf(session);
    return `${place < 0 ? "•" : `${place + 1}.`} ${chatLine(session, session.id === ctx.session)}`;
  });
}

/** What a number of that list means; undefined: it means none. */
export async function numberedInChat(
  number: number,
  ctx: CommandContext,
  limit: number,
): Promise<SessionRecord | undefined> {
  return (await ctx.chat.list({ limit })).filter(({ id }) => id !== ctx.session)[number - 1];
}

/** Sessions as a chat numbers them: newest activity first, wherever they are. */
export async function listedInChat(ctx: CommandContext, limit: number): Promise<CommandResult> {
  return shown(await ctx.chat.list({ limit }), ctx, "");
}

function shown(sessions: readonly Listed[], ctx: CommandContext, words: string, more?: string): CommandResult {
  const here = more === undefined ? "" : " in this directory";
  const none =
    words === ""
      ? `No sessions yet${here}. ${more ?? (ctx.origin === undefined ? 'agent -z "PROMPT" starts one.' : "Send a message to start one.")}`
      : `No session${here} with "${words}" in its title; ${more === undefined ? "" : `${more}\n`}agent sessions search searches messages, agent sessions --help lists the commands.`;
  return {
    ...(sessions.length === 0 && words !== "" ? { exit: 1 } : {}), // perhaps a verb was meant
    text: sessions.length === 0 ? none : linesOf(sessions, ctx, words).join("\n"),
    data: sessions.map(toListedJson),
  };
}
