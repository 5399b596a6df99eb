/** What a turn may reach of the home that it works in, by whom it works for (gateway part, 1.2 and 8). */
import type { ChatOrigin } from "../board/notify.js";
import type { RecallReach } from "../chat/recall.js";

/** What users who are not the master of a home may see of it: instructions, what belongs to boards, and this. */
export interface HomeView {
  /** Absolute directories of the conversation's own: large results, output of its processes. */
  readonly dirs: readonly string[];
  /** The directory that chats work in, where that lies in a home: it may be written, too. */
  readonly work: readonly string[];
  /** How names of files begin that came into the cache from its chat. */
  readonly files: string;
}

/** The bounds of a turn that works for someone other than the master of the home. */
export interface TurnLimits {
  /** Chat that it works for: the only one that it writes to, and whose scheduled jobs it sees. */
  readonly chat: ChatOrigin;
  readonly home: HomeView;
  /** Tools that start programs are offered: what those open cannot be bounded. */
  readonly programs: boolean;
}

/** Asked by everything that has bounds: path guard, commands, messages, scheduled jobs, searches, files of answers. */
export interface TurnReach {
  /** Read again each time, as settings change while a conversation is open; undefined: everything. @throws E_CONFIG */
  limits(): TurnLimits | undefined;
  /** Conversations that it sees besides its own. */
  conversations(): Promise<RecallReach>;
}

/** The reach of the user at the machine. */
export const WHOLE_REACH: TurnReach = { limits: () => undefined, conversations: () => Promise.resolve(undefined) };
