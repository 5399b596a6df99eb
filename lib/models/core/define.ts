import type { Log } from "../../base/log/log.js";
import type { Net } from "../../base/net/net.js";
import type { Secret } from "../../base/secret.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { Provider } from "../../contracts/models/model.js";
import type { CacheTtl } from "./cache-marks.js";

/** What a provider may use of the outside. */
export interface ProviderPorts {
  readonly net: Net;
  readonly clock: Clock;
  readonly log: Log;
}

/** One endpoint as the configuration names it, ready to use. */
export interface ProviderConfig {
  /** Name under which the user knows it: `custom`, `offline`, or the key under `providers`. */
  readonly id: string;
  /** Empty for a provider without network. */
  readonly baseUrl: string;
  readonly apiKey?: Secret;
  /** `providers.<id>.quirks`: members of an endpoint row that win over the shipped table. */
  readonly quirks?: Readonly<Record<string, unknown>>;
  /** `model.max_tokens` or the like. */
  readonly maxOutputTokens?: number;
  /** How long marked parts of a prompt are kept (`prompt_caching.cache_ttl`). */
  readonly cacheTtl?: CacheTtl;
  readonly extraBody?: Readonly<Record<string, unknown>>;
  readonly extraHeaders?: Readonly<Record<string, string>>;
  readonly timeouts: ProviderTimeouts;
}

/** Limits of one request. 0: none. */
export interface ProviderTimeouts {
  readonly connectMs: Ms;
  readonly totalMs: Ms;
  /** No byte while streaming. */
  readonly readMs: Ms;
  /** No event while streaming; undefined: by the size of the prompt. */
  readonly staleMs?: Ms;
  /** Of the Responses protocol; undefined: its own limits. */
  readonly firstMs?: Ms;
  /** Tokens of a prompt above which `firstMs` does not hold. */
  readonly patientAbove?: number;
  readonly eventMs?: Ms;
  /** Nothing of the answer, whatever events come. */
  readonly progressMs?: Ms;
}

/** One wire protocol or built-in provider. One file in `adapters/providers`, one default export. */
export interface ProviderDefinition {
  /** Name of the protocol (`chat_completions`) or of the built-in provider (`offline`), as `api_mode` and `provider` spell it. */
  readonly id: string;
  readonly summary: string;
  /** Makes the provider of one endpoint. Must not touch the network. */
  readonly create: (ports: ProviderPorts, config: ProviderConfig) => Provider;
}

export const defineProvider = (definition: ProviderDefinition): ProviderDefinition => definition;
