import type { Ms } from "../../lib/base/units.js";
import type { PageBackend, PageOutcome } from "../../lib/contracts/web/search.js";
import { askService, garbled, lackOf, type Service, type ServicePlace, type ServiceRequest } from "./service.js";

/** A service renders pages before it reads them. */
const LIMIT_MS: Ms = 60_000;

/** What is special about how a service reads pages. */
export interface PageService extends Service {
  readonly request: (url: string, place: ServicePlace) => ServiceRequest;
  /** The page in a body; a text says why it is missing; undefined: not an answer of this service. */
  readonly read: (body: string) => { readonly title: unknown; readonly text: unknown } | string | undefined;
}

/** A service that reads pages, asked over HTTP. It is sent the address and nothing else. */
export function pageService(given: PageService): PageBackend {
  const service = { limitMs: LIMIT_MS, setting: "web.extract_backend", ...given };
  return {
    name: service.name,
    lacks: (place) => lackOf(service, place),
    read: async (url, around, signal): Promise<PageOutcome> => {
      const asked = { around, left: service.limitMs, signal };
      const outcome = await askService(service, (place) => service.request(url, place), asked);
      if (!outcome.ok) return outcome;
      const page = service.read(outcome.body);
      if (typeof page === "string") return { ok: false, why: `${service.name} could not read it: ${page}` };
      if (typeof page?.text !== "string") return { ok: false, why: garbled(service, outcome, "page") };
      return { ok: true, title: typeof page.title === "string" ? page.title : "", text: page.text };
    },
  };
}

/** The first failure of a list, in words. */
export function failureIn(
  list: unknown,
  words: (item: Readonly<Record<string, unknown>>) => unknown,
): string | undefined {
  const [first]: readonly unknown[] = Array.isArray(list) ? list : [];
  if (typeof first !== "object" || first === null) return undefined;
  const said = words(first as Readonly<Record<string, unknown>>); // an object, see above
  return typeof said === "string" && said !== "" ? said.slice(0, 200) : "no reason was given";
}
