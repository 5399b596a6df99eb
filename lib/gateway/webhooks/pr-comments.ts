import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { InboxTurnEnd, NewSend } from "../../contracts/gateway/outbox.js";

/** Post a comment. @throws Error that says what the tool said */
export type PostComment = (to: { readonly repo: string; readonly number: string }, text: string) => Promise<void>;

/** How a comment stands in a target: `owner/repo#12` as the chat of `webhook`. */
export const commentChat = ({ repo, number }: { readonly repo: string; readonly number: string }): string =>
  `${repo}#${number}`;

/**
 * Answers that are comments of a pull request. One is posted when its turn ends, at most once: whether a turn that an earlier process ended was
 * commented is unknown.
 */
export interface PullRequestComments {
  /** Post what is a comment; the rest is sent. */
  post(end: InboxTurnEnd): Promise<InboxTurnEnd>;
  /** The end of a turn that an earlier process ended. */
  skip(root: string, end: InboxTurnEnd): InboxTurnEnd;
  /** The text of a failure is not a comment. */
  without(end: InboxTurnEnd): InboxTurnEnd;
}

export function createComments({ post, log }: { readonly post: PostComment; readonly log: Log }): PullRequestComments {
  return {
    post: async (end) => {
      const { comments, sends } = parted(end);
      for (const { target, payload } of comments) {
        const [repo = "", number = ""] = target.chatId.split("#");
        try {
          await post({ repo, number }, payload.text);
        } catch (error) {
          log.error("failed to post a comment", { repo, number, error: toAppError(error).message });
        }
      }
      return { ...end, sends };
    },
    skip: (root, end) => {
      const { comments, sends } = parted(end);
      if (comments.length > 0)
        log.warning("outcome of posting a comment is unknown; it is not posted again", { turn: root });
      return { ...end, sends };
    },
    without: (end) => ({ ...end, sends: parted(end).sends }),
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
