import { useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { formatRoute } from "../state/route.js";
import { useStore } from "../state/use-store.js";
import { formatRelativeTime } from "../words/time.js";
import type { SearchHitRow } from "./types.js";

/** Typing does not send a request for each letter. */
const TYPING_MS = 250;

/** Places in conversations that hold the words. */
export function FoundList({ words, open }: { words: string; open: string | undefined }) {
  const { api, route } = useServices();
  const query = useStore(route, (now) => now.query);
  const [found, setFound] = useState<readonly SearchHitRow[] | string | undefined>(undefined);
  useEffect(() => {
    let late = false;
    const timer = setTimeout(() => {
      api.get<readonly SearchHitRow[]>("api/sessions/search", { q: words, limit: 50 }).then(
        (hits) => !late && setFound(hits),
        (error: unknown) => !late && setFound(error instanceof Error ? error.message : String(error)),
      );
    }, TYPING_MS);
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [api, words]);
  if (found === undefined) return <p class="soft">Searching…</p>;
  if (typeof found === "string") return <p class="problem">{found}</p>;
  if (found.length === 0) return <p class="soft">No messages found.</p>;
  return (
    <ul class="session-rows">
      {found.map(({ session_id, message_id, snippet, role, at }) => (
        <li key={message_id}>
          <a
            href={formatRoute({ view: "sessions", id: session_id, query })}
            aria-current={session_id === open ? "true" : undefined}
          >
            <span class="session-snippet">{snippet}</span>
            <span class="soft small-text">
              {role} · {formatRelativeTime(Date.parse(at) / 1000, Date.now() / 1000)}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
