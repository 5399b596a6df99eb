import type { TargetedKeyboardEvent, TargetedSubmitEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Comment } from "../../../../contracts/board/board.js";
import { Markdown } from "../../markdown-view.js";
import { useServices } from "../../services.js";
import { formatInstant, formatRelativeTime } from "../../words/time.js";
import { useOpenTask } from "./drawer-context.js";

/** What people and workers have said about the task, and a field to say more. */
export function CommentList() {
  const { page } = useOpenTask();
  return (
    <>
      <ol class="comments">
        {page.comments.map((comment) => (
          <CommentItem key={comment.id} comment={comment} />
        ))}
      </ol>
      <CommentForm />
    </>
  );
}

const KINDS: Readonly<Record<Comment["author_kind"], string>> = {
  human: "person",
  worker: "worker",
  agent: "agent",
  system: "system",
};

function CommentItem({ comment: { author, author_kind, text, created_at } }: { comment: Comment }) {
  const { now } = useOpenTask();
  return (
    <li class={`comment comment-${author_kind}`}>
      <div class="comment-head">
        <strong>{author}</strong>
        <span class="chip">{KINDS[author_kind]}</span>
        <time class="soft" title={formatInstant(created_at)}>
          {formatRelativeTime(created_at, now())}
        </time>
      </div>
      <Markdown text={text} />
    </li>
  );
}

/** What was begun and not sent, by task: another card is often looked at in between. */
const drafts = new Map<string, string>();

function CommentForm() {
  const { id, calls, reload } = useOpenTask();
  const { failed } = useServices();
  const [text, setText] = useState(drafts.get(id) ?? "");
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const write = (words: string): void => {
    setText(words);
    if (words === "") drafts.delete(id);
    else drafts.set(id, words);
  };
  const send = async (): Promise<void> => {
    if (text.trim() === "") return;
    setBusy(true);
    try {
      await calls.comment(text);
      write("");
      await reload();
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    send().catch(failed);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  return (
    <form ref={form} class="comment-form" onSubmit={submit}>
      <textarea
        aria-label="New comment"
        placeholder="Write a comment. The worker reads it when it next checks the task."
        rows={3}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy || text.trim() === ""}>
          Comment
        </button>
      </div>
    </form>
  );
}
