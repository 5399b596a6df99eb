import * as z from "zod";
import type { RecallPort } from "../contracts/chat/recall.js";
import type { ConversationDeps } from "./conversation/conversation-types.js";
import type { MentionedSession, MentionLookups } from "./mentions/define.js";
import type { SessionStores } from "./sessions/session-stores.js";

/** Of the answer to reading a session, what a message shows of it. */
const READ = z.object({
  session_id: z.string(),
  session_meta: z.object({ title: z.string().nullable() }),
  message_count: z.number(),
  messages: z.array(z.object({ id: z.number(), role: z.string(), content: z.string() })),
});

/** What the user at the machine names in a message. */
export function lookupsFor(
  { namedTask }: Pick<ConversationDeps, "namedTask">,
  stores: Pick<SessionStores, "kept">,
  { recall, env }: { readonly recall: RecallPort; readonly env: Readonly<Record<string, string>> },
): MentionLookups {
  return {
    // An id of another profile is looked up there.
    session: async (given) =>
      lookedUp(given.includes("/") ? given : (await (await stores.kept()).sessions.find(given)).id, recall),
    ...(namedTask === undefined ? {} : { task: (given) => namedTask(given, env) }),
  };
}

/** Another conversation as the tool `session_search` reads it: what may not be seen there is not seen here. @throws AppError */
async function lookedUp(id: string, recall: RecallPort): Promise<MentionedSession> {
  const answer = await recall.recall({
    session_id: id,
    limit: 1,
    window: 1,
    roles: ["user", "assistant"],
    sort: "newest",
  });
  const { session_id, session_meta, message_count, messages } = READ.parse(answer);
  return { id: session_id, title: session_meta.title, count: message_count, messages };
}
