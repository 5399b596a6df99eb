import { useCallback, useEffect, useState } from "preact/hooks";
import { downloadUrl, saveAs } from "../net/download.js";
import { useServices } from "../services.js";
import { Icon } from "../shell/icon.js";
import { formatRoute } from "../state/route.js";
import { useStore } from "../state/use-store.js";
import type { PageConversation } from "../transcript/use-transcript.js";
import { dollars, formatShortCount } from "../words/amounts.js";
import type { SessionListRow } from "./types.js";

interface Facts extends Omit<SessionListRow, "preview"> {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** What the conversation is called, where it works and what it has cost; and what can be done with it. */
export function ChatHead({ id, conversation }: { id: string; conversation: PageConversation }) {
  const { api, dialogs, failed, route, tell } = useServices();
  const query = useStore(route, (now) => now.query);
  const changes = useStore(conversation.facts, (count) => count);
  const [session, setSession] = useState<Facts | undefined>(undefined);
  const path = `api/sessions/${encodeURIComponent(id)}`;
  const read = useCallback(
    async (): Promise<void> => setSession((await api.get<{ session: Facts }>(path, { last: 1 })).session),
    [api, path],
  );
  useEffect(() => {
    read().catch(failed);
  }, [read, failed, changes]);
  if (session === undefined) return <header class="chat-head" />;
  const rename = async (): Promise<void> => {
    const field = { name: "title", label: "Title", kind: "line", required: true, value: session.title ?? "" } as const;
    const answers = await dialogs.ask({ title: "Rename the conversation", fields: [field], confirm: "Rename" });
    if (answers !== undefined) setSession(await api.send<Facts>("PATCH", path, { title: answers["title"] }));
  };
  const archive = async (): Promise<void> =>
    setSession(await api.send<Facts>("PATCH", path, { archived: !session.archived }));
  const store = async (): Promise<void> =>
    saveAs(await downloadUrl(api, `${path}/export`, { format: "md" }), `${id}.md`);
  const remove = async (): Promise<void> => {
    const text = "All its messages are deleted, including earlier segments. This cannot be undone.";
    if (
      !(await dialogs.confirm({
        title: "Delete this conversation?",
        text,
        confirm: "Delete permanently",
        danger: true,
      }))
    )
      return;
    await api.send("DELETE", path);
    tell("done", "The conversation was deleted.");
    window.location.hash = formatRoute({ view: "sessions", query });
  };
  return (
    <header class="chat-head">
      <a class="chat-back" href={formatRoute({ view: "sessions", query })} aria-label="Back to the list">
        <Icon name="chevron" />
      </a>
      <div class="grow">
        <h2>{session.title ?? "Untitled"}</h2>
        <p class="soft small-text">
          {session.source}
          {session.model !== "" && ` · ${session.provider}/${session.model}`} · {session.cwd} ·{" "}
          {formatShortCount(session.input_tokens)} in, {formatShortCount(session.output_tokens)} out
          {session.estimated_cost_usd !== null && ` · ${dollars(session.estimated_cost_usd)}`}
        </p>
      </div>
      <div class="chat-acts">
        <button type="button" class="quiet small" onClick={() => rename().catch(failed)}>
          Rename
        </button>
        <button type="button" class="quiet small" onClick={() => store().catch(failed)}>
          Export
        </button>
        <button type="button" class="quiet small" onClick={() => archive().catch(failed)}>
          {session.archived ? "Unarchive" : "Archive"}
        </button>
        <button type="button" class="quiet small danger-text" onClick={() => remove().catch(failed)}>
          Delete
        </button>
      </div>
    </header>
  );
}
