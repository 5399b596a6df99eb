import type { Query, Store } from "../../storage/store.js";
import * as index from "../../storage/tables/sessions-search.js";
import type { Clock } from "../base/clock.js";
import type { EpochMs, SessionId } from "../base/units.js";
import type { Role } from "../proto/chat.js";
import { type ParsedQuery, parseQuery, type Term } from "./sessions-query.js";
import { snippetOf } from "./sessions-snippet.js";

export interface SearchOptions {
  /** Hits, 1 to 100. */
  readonly limit: number;
  /** Default: user, assistant and tool. */
  readonly roles?: readonly Role[];
  /** Default relevance, which becomes newest for words that stand in very many messages. */
  readonly sort?: Order;
}

type Order = "newest" | "oldest" | "relevance";

export interface SearchHit {
  readonly session_id: SessionId;
  readonly lineage_root: SessionId;
  readonly message_id: number;
  readonly role: Role;
  /** On one line, `>>>` and `<<<` around the matches. */
  readonly snippet: string;
  readonly at: EpochMs;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** What the query was changed to, and the order when it is not the wanted one. */
  readonly query_used?: string;
}

export interface SessionSearch {
  /** At most one hit per lineage. Never fails because of the characters of the query. */
  search(query: string, options: SearchOptions): Promise<SearchResult>;
}

/** Raw matches that are looked through for hits of different lineages. */
const SCANNED = 50;
const LIMIT_MAX = 100;
/** A word in more messages than this is frequent: ranking would read all of them (0.7 to 2 s in a million messages). */
const FREQUENT = 20_000;
const REMEMBERED = 1_000;
const RARE_FOR_MS = 10 * 60_000;
const ROLES: readonly Role[] = ["user", "assistant", "tool"];

export function createSessionSearch(store: Store, clock: Clock): SessionSearch {
  const words = new Map<string, { frequent: boolean; at: number }>();

  const isFrequent = async (q: Query, { phrase }: Term): Promise<boolean> => {
    const now = clock.mono();
    const known = words.get(phrase);
    if (known && (known.frequent || now - known.at < RARE_FOR_MS)) return known.frequent;
    const frequent = (await index.countMatches(q, phrase, FREQUENT + 1)) > FREQUENT;
    if (words.size >= REMEMBERED) words.delete([...words.keys()][0] ?? "");
    words.set(phrase, { frequent, at: now });
    return frequent;
  };

  const orderFor = async (q: Query, terms: readonly Term[], sort: Order): Promise<Order> => {
    if (sort !== "relevance") return sort;
    for (const term of terms) if (await isFrequent(q, term)) return "newest";
    return "relevance";
  };

  return {
    search: async (query, { limit, roles = ROLES, sort = "relevance" }) => {
      const parsed = parseQuery(query);
      const wanted = Math.min(Math.max(1, Math.trunc(limit)), LIMIT_MAX);
      if (query.trim() === "") return { hits: [] };
      const { found, order } = await store.read(async (q) => {
        const order = await orderFor(q, parsed.terms, sort);
        const filter = { roles, order, limit: Math.max(SCANNED, wanted * 5) };
        if (parsed.expression === undefined) return { order, found: await index.contain(q, query.trim(), filter) };
        return { order, found: await index.match(q, parsed.expression, filter) };
      });
      const hits = onePerLineage(found)
        .slice(0, wanted)
        .map((one) => toHit(one, parsed.terms));
      return { hits, ...explained(query, parsed, order === sort ? undefined : order) };
    },
  };
}

function explained(query: string, parsed: ParsedQuery, order: Order | undefined): { query_used?: string } {
  const plain = parsed.expression === undefined ? `the text ${JSON.stringify(query.trim())}, in the newest messages` : parsed.used;
  if (plain === undefined && order === undefined) return {};
  return { query_used: `${plain ?? query.trim()}${order === undefined ? "" : ` (${order} first: a word of it is in very many messages)`}` };
}

function onePerLineage(found: readonly index.Found[]): index.Found[] {
  const seen = new Set<string>();
  return found.filter(({ lineage_root }) => !seen.has(lineage_root) && seen.add(lineage_root));
}

function toHit({ message, lineage_root }: index.Found, terms: readonly Term[]): SearchHit {
  return {
    session_id: message.session_id,
    lineage_root: lineage_root as SessionId, // a column that holds ids of sessions
    message_id: message.id,
    role: message.role,
    snippet: snippetOf(message, terms),
    at: message.created_at,
  };
}
