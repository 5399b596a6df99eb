import { WEB_BACKEND, WEB_SEARCH_BACKEND } from "../../contracts/web/keys.js";
import type { SearchBackend, SearchPlace } from "../../contracts/web/search.js";

/** The service that a search goes to, or why none can be used. `by` names the setting that chose it. */
export type SearchChoice =
  | { readonly backend: SearchBackend; readonly by?: string; readonly lacks?: string }
  | { readonly unknown: string; readonly by: string };

/**
 * A service that a setting names wins even without its key, so that the error says what it lacks; otherwise the first that lacks nothing, in
 * the order given. The last one needs nothing.
 */
export async function chooseBackend(backends: readonly SearchBackend[], place: SearchPlace): Promise<SearchChoice> {
  const named = [WEB_SEARCH_BACKEND, WEB_BACKEND].find((key) => place.config.get(key).trim() !== "");
  if (named === undefined) return firstOf(backends, place);
  const name = place.config.get(named).trim().toLowerCase();
  const backend = backends.find((one) => one.name.toLowerCase() === name);
  if (backend === undefined) return { unknown: name, by: named.key };
  const lacks = await backend.lacks(place);
  return { backend, by: named.key, ...(lacks !== undefined && { lacks }) };
}

async function firstOf(backends: readonly SearchBackend[], place: SearchPlace): Promise<SearchChoice> {
  for (const backend of backends)
    if (backend.onlyNamed !== true && (await backend.lacks(place)) === undefined) return { backend };
  return { unknown: "", by: WEB_SEARCH_BACKEND.key };
}
