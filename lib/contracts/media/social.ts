/** The social search (core part, 27.1; wire: extensions part, 10.5). */
import { type ConfigKey, configKey } from "../config/config.js";
import type { CredentialChoice } from "../models/tool-credentials.js";
import type { MediaEnvelope } from "./media.js";

/** A search whose values were checked. */
export interface SocialSearch {
  readonly query: string;
  /** Without `@`; at most one of the two lists has members. */
  readonly allowedHandles: readonly string[];
  readonly excludedHandles: readonly string[];
  /** `YYYY-MM-DD`. */
  readonly fromDate?: string;
  readonly toDate?: string;
  /** Pictures and videos of posts are looked at, which costs more. */
  readonly images: boolean;
  readonly videos: boolean;
}

export interface SocialSearchApi {
  /** A login or a key is there; else what to do about it. Offline. */
  offered(): Promise<true | string>;
  /** Never throws but when the signal aborts; `progress` says who is asked, before anything is sent. */
  search(wanted: SocialSearch, progress: (text: string) => void, signal: AbortSignal): Promise<MediaEnvelope>;
}

export const X_SEARCH = {
  model: configKey<string>({
    key: "x_search.model",
    kind: { type: "string" },
    default: "grok-4.20-reasoning",
    help: "Model of the search vendor that answers x_search.",
  }),
  timeoutSeconds: configKey<number>({
    key: "x_search.timeout_seconds",
    kind: { type: "number", max: 3_600 },
    default: 180,
    help: "Seconds that one request of x_search may take; less than 30 counts as 30.",
  }),
  retries: configKey<number>({
    key: "x_search.retries",
    kind: { type: "integer", min: 0, max: 10 },
    default: 2,
    help: "Repeats of a request of x_search that failed on the way or with a server error.",
  }),
  credentialSource: configKey<CredentialChoice>({
    key: "x_search.credential_source",
    kind: { type: "choice", of: ["auto", "oauth", "api_key"] },
    default: "auto",
    help: "Credential of x_search: auto (a login to search-vendor before an API key), oauth, api_key.",
  }),
  baseUrl: configKey<string>({
    key: "x_search.base_url",
    kind: { type: "string" },
    default: "",
    form: "http_address",
    help: "Address of x_search in place of that of the login or key; a login is only sent to its vendor or this machine.",
  }),
} as const;

export const SOCIAL_KEYS: readonly ConfigKey<unknown>[] = Object.values(X_SEARCH);
