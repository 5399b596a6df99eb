import { WEB_BACKEND, WEB_EXTRACT_BACKEND } from "../../contracts/web/keys.js";
import type { PageBackend, SearchContext } from "../../contracts/web/search.js";
import type { ExtractAsk, PageText } from "../../contracts/web/web.js";
import { addressFault } from "./fetch-page.js";

/** Reads on this machine, whatever `web.backend` names. */
const BUILT_IN = "built-in";

export interface PageServices extends SearchContext {
  readonly backends: readonly PageBackend[];
  /** Why an address, or what its name leads to, is not asked for by the settings and rules of the home; undefined: it may be. */
  refuse(url: string): Promise<string | undefined>;
}

/** The service that the settings name for pages, or why it cannot be used; undefined: pages are read on this machine. */
export function choosePageBackend(services: PageServices): PageBackend | { readonly why: string } | undefined {
  const { config, backends } = services;
  const named = config.get(WEB_EXTRACT_BACKEND).trim().toLowerCase();
  const name = named === "" ? config.get(WEB_BACKEND).trim().toLowerCase() : named;
  if (name === "" || name === BUILT_IN) return undefined;
  const backend = backends.find((one) => one.name === name);
  if (backend === undefined) {
    if (named === "") return undefined; // a service that only searches
    const names = [...backends.map((one) => one.name), BUILT_IN].join(", ");
    return { why: `the setting ${WEB_EXTRACT_BACKEND.key} names '${name}', which reads no pages; there are: ${names}` };
  }
  const lacks = backend.lacks(services);
  return lacks === undefined
    ? backend
    : { why: `${lacks}. web.extract_backend: ${BUILT_IN} reads pages on this machine` };
}

/** The page as a service reads it. What may not be asked from here is not sent there either. */
export async function readByService(
  url: string,
  backend: PageBackend,
  { services, ask }: { readonly services: PageServices; readonly ask: ExtractAsk },
): Promise<PageText> {
  const failed = (why: string): PageText => ({ ok: false, finalUrl: url, why });
  const fault = addressFault(url);
  if (fault !== undefined) return failed(fault);
  const why = (await services.refuse(url)) ?? (await ask.refuse?.(new URL(url)));
  if (why !== undefined) return failed(why);
  const outcome = await backend.read(url, services, ask.signal);
  if (!outcome.ok) return failed(outcome.why);
  return { ok: true, finalUrl: url, title: outcome.title, text: outcome.text };
}
