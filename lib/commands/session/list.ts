import type { SessionFilter } from "../../proto/chat.js";
import { toSessionJson } from "../../proto/session-json.js";
import type { CommandContext, CommandResult } from "../define.js";
import { sessionLine } from "../render/sessions.js";

/** Sessions that are looked through for words of their titles. */
const LOOKED_AT = 1_000;

/** The list of sessions, newest activity first; `words`: only those whose title or first message has them. */
export async function listed(filter: SessionFilter, ctx: CommandContext, words = ""): Promise<CommandResult> {
  const wanted = words.toLowerCase();
  const found = await ctx.chat.list(wanted === "" ? filter : { ...filter, limit: LOOKED_AT });
  const fits = found.filter(({ title, preview, id }) => `${title ?? ""}\n${preview}\n${id}`.toLowerCase().includes(wanted));
  const sessions = fits.slice(0, filter.limit ?? 20);
  const none =
    wanted === ""
      ? 'No sessions yet. agent -z "PROMPT" makes one.'
      : `No session is titled like "${words}"; agent sessions search looks into messages, agent sessions --help lists the verbs.`;
  return {
    ...(sessions.length === 0 && wanted !== "" ? { exit: 1 } : {}), // perhaps a verb was meant
    text: sessions.length === 0 ? none : sessions.map(sessionLine).join("\n"),
    data: sessions.map((session) => ({ ...toSessionJson(session), preview: session.preview })),
  };
}
