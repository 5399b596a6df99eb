import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useServices } from "../services.js";
import { useStore } from "../state/use-store.js";
import { LiveItem } from "./live-item.js";
import { MessageItem } from "./message-item.js";
import type { PageTranscript, TranscriptNotice } from "./state.js";
import type { PageConversation } from "./use-transcript.js";

/** A conversation as it was and as it goes on. Who is at its end stays there. */
export function TranscriptView({ conversation }: { conversation: PageConversation }) {
  const { failed } = useServices();
  const now = useStore(conversation.transcript, (state) => state);
  const state = useStore(conversation.state, (one) => one);
  const box = useRef<HTMLDivElement>(null);
  const end = useRef(true);
  const toEnd = (): void => {
    if (end.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  useLayoutEffect(toEnd, [now, state]);
  useEffect(() => {
    end.current = true;
    if (box.current === null) return;
    // A question below it takes room away.
    const resized = new ResizeObserver(toEnd);
    resized.observe(box.current);
    return () => resized.disconnect();
  }, [conversation, state]);
  if (state.phase === "failed") return <p class="problem">{state.problem}</p>;
  if (state.phase === "loading") return <p class="soft">Reading…</p>;
  return (
    <div
      ref={box}
      class="transcript"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        end.current = scrollHeight - scrollTop - clientHeight < 60;
      }}
    >
      {now.older !== null && (
        <button type="button" class="small" onClick={() => conversation.readOlder().catch(failed)}>
          Show older messages
        </button>
      )}
      {now.messages.length === 0 && now.phase === undefined && <p class="soft">No messages yet.</p>}
      <ol class="messages" aria-label="Messages">
        {now.messages.map((message) => (
          <MessageItem key={message.id} message={message} notices={noticesBehind(now, message.id)} />
        ))}
      </ol>
      {noticesBehind(now, 0).map((notice) => (
        <p key={notice.text} class={`notice notice-${notice.level}`}>
          {notice.text}
        </p>
      ))}
      <LiveItem now={now} />
    </div>
  );
}

const noticesBehind = ({ notices }: PageTranscript, id: number): readonly TranscriptNotice[] =>
  notices.filter(({ behind }) => behind === id);
