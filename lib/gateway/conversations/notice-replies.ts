import type { Store } from "../../../storage/store.js";
import { noticeShown } from "../../../storage/tables/gateway/outbox.js";
import { noteTurn } from "../../../storage/tables/gateway/sessions.js";
import { toAppError } from "../../base/errors.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import { COMMANDS } from "../../commands/index.gen.js";
import { forbidden } from "../../commands/slash/rules.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatMember } from "../../contracts/chat/slash.js";
import { taskIn } from "../delivery/board-notices.js";
import { toSendTarget } from "../targets/event-target.js";
import { originOf } from "./conversations.js";

export interface NoticeRepliesDeps {
  readonly store: Store;
  readonly board: Pick<BoardApi, "comment" | "unblock" | "show">;
  readonly member: (event: Inbound) => ChatMember;
  readonly now: () => number;
  /** What is asked before: an answer of it is the answer. */
  readonly first: (event: Inbound) => Promise<string | undefined>;
}

/**
 * Answers to notices of the board (board part, 13.4): the text becomes a comment, and a blocked task goes on. Undefined: another message, or
 * its sender may not change the board; then it is an ordinary message.
 */
export function noticeReplies({
  store,
  board,
  member,
  now,
  first,
}: NoticeRepliesDeps): (event: Inbound) => Promise<string | undefined> {
  return async (event) => {
    const said = await first(event);
    if (said !== undefined) return said;
    const message = event.replyToMessageId;
    const target = message === null || event.text.trim() === "" ? undefined : toSendTarget(event);
    if (target === undefined || message === null) return undefined;
    const shown = await store.read((q) => noticeShown(q, target, message));
    const about = taskIn(shown?.source_key ?? "");
    if (about === undefined || !mayUnblock(event, member(event))) return undefined;
    const name = `answer:${event.platform}:${event.account}:${event.eventId}`;
    const at = now();
    const noted = { turn: name, root: name, session_id: NOWHERE, begun_at: at };
    if (!(await store.write("gateway.answer", (tx) => noteTurn(tx, noted)))) return DOUBTFUL;
    return answered(board, about, event);
  };
}

/** An answer is noted like a turn that has no conversation. */
const NOWHERE = "" as Parameters<typeof noteTurn>[1]["session_id"]; // no session has it

const DOUBTFUL = "⚠️ The program ended while this answer was being stored. Check the task before answering again.";

function mayUnblock(event: Inbound, member: ChatMember): boolean {
  const entry = COMMANDS.find(({ path }) => path === "kanban unblock");
  return entry !== undefined && forbidden(entry, {}, { text: "", origin: originOf(event), member }) === undefined;
}

async function answered(
  api: NoticeRepliesDeps["board"],
  about: { readonly board: string; readonly task: string },
  event: Inbound,
): Promise<string> {
  const board = about.board as BoardSlug; // written by the board itself
  const id = about.task as TaskId; // likewise
  const by = { kind: "human", name: event.source.userName ?? event.source.userId ?? "user" } as const;
  try {
    await api.comment(board, id, event.text.trim(), by);
    const { task } = await api.show(board, id);
    if (task.status !== "blocked") return `✍ Added to ${id}.`;
    await api.unblock(board, id, {}, by);
    return `✍ Added to ${id}, which continues now.`;
  } catch (error) {
    return `⚠️ ${id}: ${toAppError(error).message}`;
  }
}
