import { useState } from "preact/hooks";
import { useServices } from "../services.js";
import { Icon } from "../shell/icon.js";
import { distance } from "../words/time.js";
import { FoundList } from "./found-list.js";
import { type ListedSession, nameOf } from "./types.js";
import { useNewSession } from "./use-new-session.js";
import { type SessionFilter, useSessions } from "./use-sessions.js";

const SOURCES = ["", "cli", "workspace", "inline", "worker", "subagent", "background"];

/** Conversations to choose from: found by their words, or listed. */
export function SessionList({ open }: { open: string | undefined }) {
  const [filter, setFilter] = useState<SessionFilter>({ archived: "exclude", source: "" });
  const [words, setWords] = useState("");
  const { rows, total, reload, more } = useSessions(filter);
  const begin = useNewSession(rows?.[0]?.cwd);
  const { failed } = useServices();
  return (
    <nav class="session-list" aria-label="Conversations">
      <div class="buttons">
        <input
          type="search"
          class="grow"
          aria-label="Search conversations"
          placeholder="Search…"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <button type="button" class="primary" onClick={() => begin().catch(failed)}>
          New
        </button>
      </div>
      <div class="buttons">
        <select
          aria-label="Where they began"
          value={filter.source}
          onChange={(event) => setFilter({ ...filter, source: event.currentTarget.value })}
        >
          {SOURCES.map((source) => (
            <option key={source} value={source}>
              {source === "" ? "from everywhere" : source}
            </option>
          ))}
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={filter.archived === "only"}
            onChange={(event) => setFilter({ ...filter, archived: event.currentTarget.checked ? "only" : "exclude" })}
          />
          archived
        </label>
        <button type="button" class="icon-button" aria-label="Read the list anew" onClick={reload}>
          <Icon name="refresh" />
        </button>
      </div>
      {words.trim().length >= 2 ? <FoundList words={words.trim()} open={open} /> : <Rows rows={rows} open={open} />}
      {words.trim().length < 2 && rows !== undefined && rows.length < Math.min(total, 200) && (
        <button type="button" class="small" onClick={more}>
          Show more ({total - rows.length})
        </button>
      )}
    </nav>
  );
}

function Rows({ rows, open }: { rows: readonly ListedSession[] | undefined; open: string | undefined }) {
  if (rows === undefined) return <p class="soft">Reading…</p>;
  if (rows.length === 0) return <p class="soft">There are none.</p>;
  return (
    <ul class="session-rows">
      {rows.map((session) => (
        <li key={session.id}>
          <a href={`#/sessions/${encodeURIComponent(session.id)}`} aria-current={session.id === open ? "true" : undefined}>
            <span class="session-name">{nameOf(session)}</span>
            <span class="soft small-text">
              {session.source} · {session.message_count} messages · {distance(Date.parse(session.last_active_at) / 1000, Date.now() / 1000)}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
