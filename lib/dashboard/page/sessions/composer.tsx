import type { TargetedKeyboardEvent, TargetedSubmitEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { randomName } from "../net/random.js";
import { useServices } from "../services.js";
import { useStore } from "../state/use-store.js";
import type { PageConversation } from "../transcript/use-transcript.js";
import { isCommand, runSlashCommand } from "./slash.js";

/** What is said next, or a command: Enter sends, Shift+Enter makes a line. While a turn runs it waits in the queue; Stop interrupts the turn. */
export function Composer({ conversation }: { conversation: PageConversation }) {
  const services = useServices();
  const { rpc, failed, tell } = services;
  const running = useStore(conversation.transcript, ({ phase }) => phase !== undefined);
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const last = useRef<{ readonly text: string; readonly key: string } | undefined>(undefined);
  const form = useRef<HTMLFormElement>(null);
  const session_id = useStore(conversation.session, (now) => now);
  const say = async (): Promise<string> => {
    // Words whose answer was lost with the connection are the same words when they are sent again.
    if (last.current?.text !== text) last.current = { text, key: randomName() };
    const posted = await rpc.call<{ readonly queued?: unknown }>("turn.submit", { session_id, text }, last.current.key);
    last.current = undefined;
    if (posted.queued !== undefined) tell("told", "It is sent when the running turn has ended.");
    return "";
  };
  const send = async (): Promise<void> => {
    if (text.trim() === "" || busy) return;
    setBusy(true);
    try {
      setText(isCommand(text) ? await runSlashCommand(services, conversation, text) : await say());
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    send().catch(failed);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  return (
    <form ref={form} class="composer" onSubmit={submit}>
      <textarea
        aria-label="Message"
        placeholder="Message, or / for commands…"
        rows={Math.min(12, Math.max(2, text.split("\n").length))}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy || text.trim() === ""}>
          {running ? "Queue" : "Send"}
        </button>
        {running && (
          <button type="button" class="danger" onClick={() => rpc.call("turn.interrupt", { session_id }).catch(failed)}>
            Stop
          </button>
        )}
      </div>
    </form>
  );
}
