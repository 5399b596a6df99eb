import { useServices } from "../services.js";
import { Icon } from "../shell/icon.js";
import { formatRoute } from "../state/route.js";
import { useAddress } from "../state/use-address.js";
import { useStore } from "../state/use-store.js";
import { formatRelativeTime } from "../words/time.js";
import { FoundList } from "./found-list.js";
import { type SessionListRow, toSessionName } from "./types.js";
import { useNewSession } from "./use-new-session.js";
import { useSessions } from "./use-sessions.js";

/** Conversations that a person begins in a directory of their choice. Workers have scratch directories, chats of platforms one for all. */
const BY_PEOPLE: ReadonlySet<string> = new Set(["cli", "workspace", "inline"]);

/** Directory that a new conversation is offered: that of the newest conversation which a person began. `rows`: the newest first. */
export const findUsualDirectory = (rows: readonly Pick<SessionListRow, "source" | "cwd">[]): string =>
  rows.find(({ source }) => BY_PEOPLE.has(source))?.cwd ?? "";

const SOURCES = ["", "cli", "workspace", "inline", "worker", "subagent", "background"];

/** Conversations to choose from: found by their words, or listed. */
export function SessionList({ open }: { open: string | undefined }) {
  const [source, setSource] = useAddress("source");
  const [archived, setArchived] = useAddress("archived");
  const [words, setWords] = useAddress("q");
  const { rows, total, reload, more } = useSessions({ archived: archived === "" ? "exclude" : "only", source });
  const begin = useNewSession(findUsualDirectory(rows ?? []));
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
        <select aria-label="Where they began" value={source} onChange={(event) => setSource(event.currentTarget.value)}>
          {SOURCES.map((one) => (
            <option key={one} value={one}>
              {one === "" ? "from everywhere" : one}
            </option>
          ))}
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={archived !== ""}
            onChange={(event) => setArchived(event.currentTarget.checked ? "only" : "")}
          />
          archived
        </label>
        <button type="button" class="icon-button" aria-label="Reload the list" onClick={reload}>
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

function Rows({ rows, open }: { rows: readonly SessionListRow[] | undefined; open: string | undefined }) {
  const query = useStore(useServices().route, (route) => route.query);
  if (rows === undefined) return <p class="soft">Reading…</p>;
  if (rows.length === 0) return <p class="soft">No conversations.</p>;
  return (
    <ul class="session-rows">
      {rows.map((session) => (
        <li key={session.id}>
          <a
            href={formatRoute({ view: "sessions", id: session.id, query })}
            aria-current={session.id === open ? "true" : undefined}
          >
            <span class="session-name">{toSessionName(session)}</span>
            <span class="soft small-text">
              {session.source} · {session.message_count} messages ·{" "}
              {formatRelativeTime(Date.parse(session.last_active_at) / 1000, Date.now() / 1000)}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
