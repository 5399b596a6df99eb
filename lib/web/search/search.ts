import { decodeEntities } from "../../base/text/entities.js";
import type { PluginProvider } from "../../contracts/plugins/context.js";
import type { SearchBackend, SearchContext, WebHit } from "../../contracts/web/search.js";
import type { WebApi, WebFound } from "../../contracts/web/web.js";
import { headText, plainText } from "../../safety/redact/text.js";
import { chooseBackend } from "./choose.js";
import { pluginSearch } from "./plugin-search.js";

/** A hundred hits of this size are the most that a result of a tool may have. */
const TITLE_CHARS = 300;
const DESCRIPTION_CHARS = 600;
const URL_CHARS = 2_000;

export interface WebSearchParts extends SearchContext {
  /** Those that are built in, in the order in which they are tried; the last needs no key. */
  readonly backends: readonly SearchBackend[];
  readonly ofPlugins: () => readonly PluginProvider[];
}

/** Searches the web with the service that the settings and the keys choose. */
export function createWebSearch(parts: WebSearchParts): WebApi["search"] {
  return async (query, limit, signal) => {
    const all = withPlugins(parts.backends, parts.ofPlugins());
    const choice = await chooseBackend(all, parts);
    if ("unknown" in choice) return { ok: false, provider: choice.unknown, why: unknownText(choice, all) };
    const { backend, by, lacks } = choice;
    const provider = backend.name;
    if (lacks !== undefined) {
      const chosen =
        by === undefined ? "" : ` The setting ${by} names ${provider}; another service needs another value.`;
      return { ok: false, provider, why: `${lacks}.${chosen}` };
    }
    const outcome = await backend.search(query, limit, parts, signal);
    if (!outcome.ok) return { ok: false, provider, why: outcome.why };
    return { ok: true, provider, found: tidy(outcome.found, limit) };
  };
}

/** Those of plugins stand before the one that needs no key. A built-in one keeps its name. */
export function withPlugins(
  backends: readonly SearchBackend[],
  ofPlugins: readonly PluginProvider[],
): readonly SearchBackend[] {
  const others = ofPlugins.filter(({ name }) => !backends.some((one) => one.name === name)).map(pluginSearch);
  return [...backends.slice(0, -1), ...others, ...backends.slice(-1)];
}

function unknownText(choice: { readonly unknown: string; readonly by: string }, all: readonly SearchBackend[]): string {
  const names = all.map(({ name }) => name).join(", ");
  return `the setting ${choice.by} names '${choice.unknown}', which is no search service; there are: ${names}`;
}

function tidy(hits: readonly WebHit[], limit: number): readonly WebFound[] {
  const seen = new Set<string>();
  const kept = hits.filter(({ url }) => {
    const fresh = /^https?:\/\//i.test(url) && url.length <= URL_CHARS && URL.canParse(url) && !seen.has(url);
    seen.add(url);
    return fresh;
  });
  return kept.slice(0, limit).map(({ title, url, description }, at) => ({
    title: textOf(title, TITLE_CHARS),
    url,
    description: textOf(description, DESCRIPTION_CHARS),
    position: at + 1,
  }));
}

/** Services mark the words of the query with elements, and write signs as references. */
function textOf(marked: string, most: number): string {
  const words = plainText(decodeEntities(headText(marked, 20_000).replace(/<\/?[a-z][^<>]{0,200}>/gi, "")));
  return headText(words.replace(/\s+/g, " ").trim(), most);
}
