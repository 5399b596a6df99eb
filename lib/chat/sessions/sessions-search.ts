import type { Query, Store } from "../../../storage/store.js";
import { byIds } from "../../../storage/tables/sessions/messages.js";
import * as index from "../../../storage/tables/sessions/search.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, SessionId } from "../../base/units.js";
import type { Role } from "../../contracts/chat/chat.js";
import { type ParsedQuery, parseQuery, type Term } from "./sessions-query.js";
import { snippetOf } from "./sessions-snippet.js";

export interface SearchOptions {
  /** Hits, 1 to 100. */
  readonly limit: number;
  /** Default: user, assistant and tool. */
  readonly roles?: readonly Role[];
  /** Default relevance, which becomes newest for words that stand in very many messages. */
  readonly sort?: Order;
  /** One hit of each lineage (the default), or of each family. */
  readonly by?: "lineage" | "family";
  /** Family that is left out: that of the conversation that asks. */
  readonly exceptFamily?: string;
  /** Only these conversations, by the roots of their lineages. */
  readonly among?: ReadonlySet<SessionId>;
}

type Order = "newest" | "oldest" | "relevance";

export interface SearchHit {
  readonly session_id: SessionId;
  readonly lineage_root: SessionId;
  readonly message_id: number;
  /** Place within its session. */
  readonly ordinal: number;
  readonly role: Role;
  /** On one line, `>>>` and `<<<` around the matches. */
  readonly snippet: string;
  readonly at: EpochMs;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** What the query was changed to, and the order when it is not the wanted one. */
  readonly query_used?: string;
  /** Lineages, or families, that the matches lie in which were looked through. */
  readonly families: number;
}

export interface SessionSearch {
  /** At most one hit per lineage or family. Never fails because of the characters of the query. */
  search(query: string, options: SearchOptions): Promise<SearchResult>;
}

/** Raw matches that are looked through for hits of different lineages. */
const SCANNED = 50;
const LIMIT_MAX = 100;
/** A word in more messages than this is frequent: ranking reads every message of every word, 3 to 5 ms for so many and 2 s for half a million. */
const FREQUENT = 1_000;
/** The same for the rarest word of a phrase: each of its messages costs a look at every other word, and ranking takes all of them twice. */
const FREQUENT_IN_PHRASE = 200;
const REMEMBERED = 1_000;
const RARE_FOR_MS = 10 * 60_000;
const ROLES: readonly Role[] = ["user", "assistant", "tool"];

export function createSessionSearch(store: Store, clock: Clock): SessionSearch {
  const words = new Map<string, { count: number; at: number }>();

  /** Messages with a word, counted no further than is of interest. */
  const countOf = async (q: Query, word: string): Promise<number> => {
    const now = clock.mono();
    const known = words.get(word);
    if (known && (known.count > FREQUENT || now - known.at < RARE_FOR_MS)) return known.count;
    const count = await index.countMatches(q, word, FREQUENT + 1);
    if (words.size >= REMEMBERED) words.delete([...words.keys()][0] ?? "");
    words.set(word, { count, at: now });
    return count;
  };

  /** A phrase is as rare as its rarest word. */
  const isFrequentTerm = async (q: Query, term: Term): Promise<boolean> => {
    const most = term.words.length > 1 ? FREQUENT_IN_PHRASE : FREQUENT;
    for (const word of term.words) if ((await countOf(q, word)) <= most) return false;
    return true;
  };

  const orderFor = async (q: Query, terms: readonly Term[], sort: Order): Promise<Order> => {
    if (sort !== "relevance") return sort;
    for (const term of terms) if (await isFrequentTerm(q, term)) return "newest";
    return "relevance";
  };

  return {
    search: async (query, { limit, roles = ROLES, sort = "relevance", by = "lineage", exceptFamily, among }) => {
      const parsed = parseQuery(query);
      const wanted = Math.min(Math.max(1, Math.trunc(limit)), LIMIT_MAX);
      if (query.trim() === "") return { hits: [], families: 0 };
      return store.read(async (q) => {
        const order = await orderFor(q, parsed.terms, sort);
        const filter = { roles, order, exceptFamily, among: among === undefined ? undefined : [...among] };
        const look = async (scanned: number) => {
          const bounded = { ...filter, limit: scanned };
          const { expression } = parsed;
          const found = await (expression === undefined
            ? index.contain(q, query.trim(), bounded)
            : index.match(q, expression, bounded));
          return {
            all: found.length < scanned,
            apart: oneOfEach(found, by === "family" ? "family_root" : "lineage_root"),
          };
        };
        // In the order of time the first few decide, mostly; ranking has looked at all of them anyway.
        const first = order === "relevance" ? undefined : await look(wanted * 2);
        const enough = first !== undefined && (first.all || first.apart.length >= wanted);
        const { apart } = enough ? first : await look(Math.max(SCANNED, wanted * 5));
        const hits = await toHits(q, apart.slice(0, wanted), parsed.terms);
        return { hits, families: apart.length, ...explained(query, parsed, order === sort ? undefined : order) };
      });
    },
  };
}

function explained(query: string, parsed: ParsedQuery, order: Order | undefined): { query_used?: string } {
  const plain =
    parsed.expression === undefined ? `the text ${JSON.stringify(query.trim())}, in the newest messages` : parsed.used;
  if (plain === undefined && order === undefined) return {};
  return {
    query_used: `${plain ?? query.trim()}${order === undefined ? "" : ` (${order} first: a word of it is in very many messages)`}`,
  };
}

function oneOfEach(found: readonly index.Found[], what: "family_root" | "lineage_root"): index.Found[] {
  const seen = new Set<string>();
  return found.filter((one) => !seen.has(one[what]) && seen.add(one[what]));
}

/** The messages are read when it is clear which ones are shown. */
async function toHits(q: Query, found: readonly index.Found[], terms: readonly Term[]): Promise<SearchHit[]> {
  const messages = await byIds(
    q,
    found.map(({ id }) => id),
  );
  const byId = new Map(messages.map((message) => [message.id, message]));
  return found.flatMap(({ id, lineage_root }) => {
    const message = byId.get(id);
    if (message === undefined || !message.active) return [];
    const { session_id, ordinal, role, created_at } = message;
    // The column holds ids of sessions.
    const place = { session_id, lineage_root: lineage_root as SessionId, message_id: id, ordinal };
    return [{ ...place, role, snippet: snippetOf(message, terms), at: created_at }];
  });
}
