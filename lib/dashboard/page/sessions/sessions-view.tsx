import { useServices } from "../services.js";
import { useStore } from "../state/use-store.js";
import { Chat } from "./chat.js";
import { SessionList } from "./session-list.js";

/** Conversations: a list, and the one that is open beside it. */
export function SessionsView() {
  const open = useStore(useServices().route, ({ id }) => id);
  return (
    <div class={`split ${open === undefined ? "" : "split-open"}`}>
      <h1 class="sr-only">Conversations</h1>
      <SessionList open={open} />
      {open === undefined ? (
        <p class="split-empty soft">Choose a conversation, or start one.</p>
      ) : (
        <Chat key={open} id={open} />
      )}
    </div>
  );
}
