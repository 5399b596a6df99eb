import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { InboxTurnEnd, NewSend } from "../../contracts/gateway/outbox.js";
import type { GatewayTurns } from "../router/dispatch.js";

/** Post a comment. @throws Error that says what the tool said */
export type PostComment = (to: { readonly repo: string; readonly number: string }, text: string) => Promise<void>;

/** How a comment stands in a target: `owner/repo#12` as the chat of `webhook`. */
export const commentChat = ({ repo, number }: { readonly repo: string; readonly number: string }): string =>
  `${repo}#${number}`;

/**
 * Turns whose answer is a comment of a pull request. It is posted when the turn ends, at most once: whether a turn that an earlier process
 * ended was commented nobody knows.
 */
export function withComments(
  turns: GatewayTurns,
  { post, log }: { readonly post: PostComment; readonly log: Log },
): GatewayTurns {
  const posted = async (end: InboxTurnEnd): Promise<InboxTurnEnd> => {
    const { comments, sends } = parted(end);
    for (const { target, payload } of comments) {
      const [repo = "", number = ""] = target.chatId.split("#");
      try {
        await post({ repo, number }, payload.text);
      } catch (error) {
        log.error("a comment was not posted", { repo, number, error: toAppError(error).message });
      }
    }
    return { ...end, sends };
  };
  return {
    ...turns,
    run: async (turn, batch, signal) => posted(await turns.run(turn, batch, signal)),
    resume: async (turn, root, batch, signal) => posted(await turns.resume(turn, root, batch, signal)),
    failure: (turn, batch, error) => ({
      ...turns.failure(turn, batch, error),
      sends: parted(turns.failure(turn, batch, error)).sends,
    }),
    fate: async (root) => {
      const fate = await turns.fate(root);
      if (fate.was !== "ended") return fate;
      const { comments, sends } = parted(fate.end);
      if (comments.length > 0)
        log.warning("nobody knows whether a comment was posted: it is not posted again", { turn: root });
      return { ...fate, end: { ...fate.end, sends } };
    },
  };
}

function parted({ sends }: InboxTurnEnd): {
  readonly comments: readonly NewSend[];
  readonly sends: readonly NewSend[];
} {
  return {
    comments: sends.filter(({ target }) => target.platform === "webhook"),
    sends: sends.filter(({ target }) => target.platform !== "webhook"),
  };
}
