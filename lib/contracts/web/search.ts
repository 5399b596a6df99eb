import type { Net } from "../../base/net/net.js";
import type { Clock } from "../../base/time/clock.js";
import type { Config } from "../config/config.js";
import type { ToolCredentials } from "../models/tool-credentials.js";

/** One page as a service tells it, not yet cleaned. */
export interface WebHit {
  readonly title: string;
  readonly url: string;
  readonly description: string;
}

/** `why` says what to do about it. */
export type SearchOutcome =
  | { readonly ok: true; readonly found: readonly WebHit[] }
  | { readonly ok: false; readonly why: string };

/** Where a service finds its settings and keys. `env` has the variables of `.env` over those of the process. */
export interface SearchPlace {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Logins and keys of a provider of models. Absent: keys of the environment alone. */
  readonly credentials?: (provider: string) => Pick<ToolCredentials, "exists" | "get" | "renew" | "worked">;
}

export interface SearchContext extends SearchPlace {
  readonly net: Net;
  readonly clock: Clock;
}

/** A service that searches the web (core part, 26.1). */
export interface SearchBackend {
  readonly name: string;
  /** Used only where a setting names it: it costs more than a search, or is meant for something else. */
  readonly onlyNamed?: true;
  /** What it lacks, and what to do about it; undefined: nothing. Offline. */
  lacks(place: SearchPlace): string | undefined | Promise<string | undefined>;
  /** Never throws but when the signal aborts. */
  search(query: string, limit: number, around: SearchContext, signal: AbortSignal): Promise<SearchOutcome>;
}

/** `why` says what to do about it. */
export type PageOutcome =
  | { readonly ok: true; readonly title: string; readonly text: string }
  | { readonly ok: false; readonly why: string };

/** A service that reads pages for `web_extract`. Used only where a setting names it: it learns what is read, and bills for it. */
export interface PageBackend {
  readonly name: string;
  /** What it lacks, and what to do about it; undefined: nothing. */
  lacks(place: SearchPlace): string | undefined;
  /** Never throws but when the signal aborts. */
  read(url: string, around: SearchContext, signal: AbortSignal): Promise<PageOutcome>;
}
