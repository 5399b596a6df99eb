import type { SessionId } from "../../base/units.js";
import type { Conversations } from "./conversations.js";
import type { Topics } from "./topic-bindings.js";

/** What is done with the conversations of chats besides keeping them. */
export interface ConversationSteps {
  /** Where they are kept (`conversations.ts`). */
  readonly stored: Conversations;
  readonly topics: Pick<Topics, "opened">;
  /** Told when a chat goes on in another conversation. */
  readonly moved: (
    sessionKey: string,
    move: { readonly before: SessionId | undefined; readonly session: SessionId },
  ) => void;
}

/** Conversations with all their steps. */
export const conversationsWithSteps = ({ stored, topics, moved }: ConversationSteps): Conversations => ({
  at: stored.at,
  open: async (sessionKey, event) => {
    const session = await stored.open(sessionKey, event);
    await topics.opened(event, sessionKey, session);
    return session;
  },
  move: async (sessionKey, session, event) => {
    const before = await stored.at(sessionKey);
    await stored.move(sessionKey, session, event);
    moved(sessionKey, { before, session });
  },
  adopt: stored.adopt,
  own: stored.own,
  prune: stored.prune,
});
