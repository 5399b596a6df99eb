import { toAppError } from "../../lib/base/errors.js";
import { isRecord, jsonOf } from "../../lib/base/json/record.js";
import { NetError, type NetRequest, type NetResponse } from "../../lib/base/net/net.js";
import { Secret } from "../../lib/base/secret.js";
import { parseRateLimitResetMs } from "../../lib/base/time/rate-limit-reset.js";
import { type EpochMs, type Ms, toIso } from "../../lib/base/units.js";
import type { Config, ConfigKey } from "../../lib/contracts/config/config.js";
import type { ToolCredential, ToolCredentials } from "../../lib/contracts/models/tool-credentials.js";
import type {
  SearchBackend,
  SearchContext,
  SearchOutcome,
  SearchPlace,
  WebHit,
} from "../../lib/contracts/web/search.js";
import { toScreenLine } from "../../lib/safety/redact/text.js";

const LIMIT_MS: Ms = 30_000;
const MOST_BYTES = 8 << 20;

/** One request of a search. */
export interface SearchQuestion {
  readonly query: string;
  /** How many results this request is for. */
  readonly count: number;
  /** From 0. */
  readonly page: number;
  /** Address of the service, without a slash at its end. */
  readonly base: string;
  readonly key: Secret;
  readonly config: Config;
}

/** What is special about the account at a service. */
export interface Service {
  readonly name: string;
  readonly baseUrl: ConfigKey<string>;
  /** Variables that may hold its key, the first one is shown; none: it works without a key. */
  readonly keyVariables: readonly string[];
  /** Provider of models whose login is used before a key. */
  readonly login?: string;
  /** Where a key is to be had. */
  readonly keysAt?: string;
  /** Default: 30 s. */
  readonly limitMs?: Ms;
  /** What to do about a status that has its own meaning there; `said`: what the body says. */
  readonly explain?: (status: number, said: string) => string | undefined;
  /** Time until a limit is over, where the service tells it in its own way. */
  readonly resetMs?: (headers: Readonly<Record<string, string>>) => Ms | undefined;
  /** The setting that names another service. Default: `web.search_backend`. */
  readonly setting?: string;
}

/** What is special about its searches; everything else is the same for all. */
export interface SearchService extends Service {
  readonly onlyNamed?: true;
  /** Most results of one answer, and most answers that are asked for one search. Default: one answer. */
  readonly perPage: number;
  readonly pages?: number;
  readonly request: (question: SearchQuestion) => ServiceRequest;
  /** The hits of a body; a text says why they are missing; undefined: not an answer of this service. */
  readonly read: (body: string) => readonly WebHit[] | string | undefined;
}

export type ServiceRequest = Pick<NetRequest, "method" | "url" | "headers" | "body">;

/** A search service that is asked over HTTP. */
export function searchService(service: SearchService): SearchBackend {
  return {
    name: service.name,
    ...(service.onlyNamed && { onlyNamed: true }),
    lacks: async (place) => ((await loginOf(service, place)) === undefined ? lackOf(service, place) : undefined),
    search: (query, limit, around, signal) => searchAll(service, { query, limit, around, signal }),
  };
}

export function lackOf(service: Service, place: SearchPlace): string | undefined {
  const { name, keyVariables, keysAt, baseUrl, login } = service;
  if (place.config.get(baseUrl) === "") {
    const variable = baseUrl.env === undefined ? "" : `, or ${baseUrl.env} in .env`;
    return `${name} has no address: set ${baseUrl.key}${variable}`;
  }
  const [first] = keyVariables;
  if (first === undefined || keyOf(service, place) !== undefined) return undefined;
  const orLogin = login === undefined ? "" : `, or log in with agent auth add ${login}`;
  return `${name} has no key: set ${first} in .env of the home${keysAt === undefined ? "" : ` (keys: ${keysAt})`}${orLogin}`;
}

function keyOf(service: Service, place: SearchPlace): Secret | undefined {
  const value = service.keyVariables.map((name) => place.env[name]?.trim()).find((text) => text);
  return value === undefined ? undefined : new Secret(value);
}

interface Search {
  readonly query: string;
  readonly limit: number;
  readonly around: SearchContext;
  readonly signal: AbortSignal;
}

/** Page after page, until there are enough or no new ones. */
async function searchAll(service: SearchService, search: Search): Promise<SearchOutcome> {
  const found = new Map<string, WebHit>();
  const { clock } = search.around;
  const end = clock.mono() + (service.limitMs ?? LIMIT_MS);
  for (let page = 0; page < (service.pages ?? 1) && found.size < search.limit; page += 1) {
    const outcome = await searchPage(service, search, { page, left: end - clock.mono() });
    // What the pages before it found is worth more than the failure of a later one.
    if (!outcome.ok) return page === 0 ? outcome : { ok: true, found: [...found.values()] };
    const before = found.size;
    for (const hit of outcome.found) if (!found.has(hit.url)) found.set(hit.url, hit);
    if (found.size === before) break;
  }
  return { ok: true, found: [...found.values()] };
}

async function searchPage(
  service: SearchService,
  { query, limit, around, signal }: Search,
  { page, left }: { readonly page: number; readonly left: Ms },
): Promise<SearchOutcome> {
  const count = Math.min(limit, service.perPage);
  const request = (at: ServicePlace) => service.request({ query, count, page, ...at, config: around.config });
  const outcome = await askService(service, request, { around, left, signal });
  if (!outcome.ok) return outcome;
  const read = service.read(outcome.body);
  if (typeof read === "string") return { ok: false, why: read };
  return read === undefined
    ? { ok: false, why: garbled(service, outcome, "list of results") }
    : { ok: true, found: read };
}

interface Asked extends Service {
  /** With a login in place of a key. */
  readonly byLogin: boolean;
}

/** Address of a service, without a slash at its end, and the key for it. */
export interface ServicePlace {
  readonly base: string;
  readonly key: Secret;
}

export type ServiceOutcome =
  | { readonly ok: true; readonly body: string; readonly type: string }
  | { readonly ok: false; readonly why: string; readonly status?: number };

type Login = Pick<ToolCredentials, "get" | "renew" | "worked">;

/** The login that a service is asked with; undefined: without one, its key is used. */
async function loginOf({ login }: Service, { credentials }: SearchPlace): Promise<Login | undefined> {
  const source = login === undefined ? undefined : credentials?.(login);
  return source !== undefined && (await source.exists("oauth")) ? source : undefined;
}

/** One request to a service. Never throws but when the signal aborts; `why` says what to do. */
export async function askService(
  service: Service,
  request: (place: ServicePlace) => ServiceRequest,
  { around, left, signal }: { readonly around: SearchContext; readonly left: Ms; readonly signal: AbortSignal },
): Promise<ServiceOutcome> {
  const login = await loginOf(service, around);
  const ask = (place: ServicePlace) =>
    askOnce({ ...service, byLogin: login !== undefined }, request(place), { around, left, signal });
  if (login !== undefined) return askWithLogin(service, login, ask, { around, signal });
  const base = withoutSlash(around.config.get(service.baseUrl));
  return ask({ base, key: keyOf(service, around) ?? new Secret("") });
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, "");

/** A login that the vendor refuses is renewed once. One that came to its end is an error: no key takes its place. */
async function askWithLogin(
  { baseUrl }: Service,
  login: Login,
  ask: (place: ServicePlace) => Promise<ServiceOutcome>,
  { around, signal }: { readonly around: SearchContext; readonly signal: AbortSignal },
): Promise<ServiceOutcome> {
  const asked = async (used: ToolCredential): Promise<ServiceOutcome> => {
    const outcome = await ask({ base: withoutSlash(used.baseUrl), key: new Secret(used.bearer) });
    if (outcome.ok) await login.worked(used);
    return outcome;
  };
  try {
    const { config } = around;
    const address = config.source(baseUrl) === "default" ? "" : config.get(baseUrl);
    const first = await login.get("oauth", address, signal);
    const outcome = await asked(first);
    if (outcome.ok || outcome.status !== 401) return outcome;
    const renewed = await login.renew(first, signal);
    return renewed === undefined ? outcome : await asked(renewed);
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, why: toAppError(error).message };
  }
}

async function askOnce(
  service: Asked,
  request: ServiceRequest,
  { around, left, signal }: { readonly around: SearchContext; readonly left: Ms; readonly signal: AbortSignal },
): Promise<ServiceOutcome> {
  try {
    const limits = { purpose: "model", totalMs: Math.max(1, left), maxBytes: MOST_BYTES, signal } as const;
    const response = await around.net.fetch({ ...request, ...limits });
    try {
      const body = await response.text(MOST_BYTES);
      const { status, headers } = response;
      if (status < 200 || status > 299)
        return { ok: false, status, why: refusalText(service, response, body, around.clock.now()) };
      return { ok: true, body, type: (headers["content-type"] ?? "no type").split(";", 1)[0] ?? "" };
    } finally {
      response.cancel();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NetError) return { ok: false, why: failureText(service, error) };
    throw error;
  }
}

/** The answer is none of this service. */
export const garbled = (
  service: Service,
  { body, type }: { readonly body: string; readonly type: string },
  wanted: string,
): string =>
  `${service.name} answered what is no ${wanted} (${type}, ${body.length} characters). ${elsewhere(service)}`;

function refusalText(service: Asked, response: NetResponse, body: string, now: EpochMs): string {
  const { name, keyVariables, setting = SEARCH_SETTING } = service;
  const { status, headers } = response;
  const said = saidIn(body);
  const answered = `${name} answered ${status}${said === undefined ? "" : `: ${said}`}`;
  const own = service.explain?.(status, said ?? "");
  if (own !== undefined) return `${answered}. ${own}`;
  if (status === 429) {
    const wait = service.resetMs?.(headers) ?? parseRateLimitResetMs(headers, body, now);
    const again =
      wait === undefined ? "Try again later" : `It is free again in ${seconds(wait)} s (${toIso(now + wait)})`;
    return `${answered}. The limit of requests is used up. ${again}, or set another service with ${setting}`;
  }
  if (status === 402) return `${answered}. The account has no credit left. ${elsewhere(service)}`;
  const keyIsWrong =
    status === 401 ||
    status === 403 ||
    /\b(api key|token)\b.*\b(invalid|incorrect)|(invalid|incorrect) (api key|token)/i.test(said ?? "");
  if (keyIsWrong && service.byLogin)
    return `${answered}. It does not accept the login: agent auth add ${service.login ?? name} logs in again`;
  if (keyIsWrong && keyVariables.length > 0)
    return `${answered}. It does not accept the key in ${keyVariables[0]}: correct it in .env of the home`;
  return `${answered}. ${elsewhere(service)}`;
}

const seconds = (ms: Ms) => Math.max(1, Math.ceil(ms / 1_000));

function failureText(service: Service, { failure, message }: NetError): string {
  const { name, limitMs = LIMIT_MS } = service;
  if (failure === "timeout") return `${name} did not answer within ${seconds(limitMs)} s. ${elsewhere(service)}`;
  return `${name} cannot be reached: ${message}. ${elsewhere(service)}`;
}

const SEARCH_SETTING = "web.search_backend";

const elsewhere = ({ baseUrl, setting = SEARCH_SETTING }: Service) =>
  `Try again, check ${baseUrl.key}, or set another service with ${setting}`;

/** What the body of a refusal says, in one line. */
function saidIn(body: string): string | undefined {
  const text = wordsOf(jsonOf(body), 0);
  return text === undefined ? undefined : toScreenLine(text, 200).replace(/[.!\s]+$/, "");
}

function wordsOf(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (!isRecord(value) || depth > 3) return undefined;
  for (const name of ["error", "detail", "message", "msg", "description"]) {
    const words = wordsOf(value[name], depth + 1);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** The members of a list in JSON that are hits. `pick` takes the three texts of one; undefined without a list. */
export function hitsOf(
  list: unknown,
  pick: (item: Readonly<Record<string, unknown>>) => {
    readonly title: unknown;
    readonly url: unknown;
    readonly description: unknown;
  },
): readonly WebHit[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.filter(isRecord).flatMap((item) => {
    const { title, url, description } = pick(item);
    return typeof url === "string" && url !== ""
      ? [{ title: text(title) || url, url, description: text(description) }]
      : [];
  });
}

const text = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value)
      ? value.filter((one) => typeof one === "string").join(" … ")
      : "";

/** A member of a JSON body, by its way. */
export function memberOf(body: string, ...way: readonly string[]): unknown {
  return way.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), jsonOf(body));
}

/** A request with a JSON body. */
export function postJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Readonly<Record<string, unknown>>,
): ServiceRequest {
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: JSON.stringify(body),
  };
}
