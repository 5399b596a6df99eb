import { toAppError } from "../base/errors.js";
import { isRecord } from "../base/json/record.js";
import type { Log } from "../base/log/log.js";
import type { Clock } from "../base/time/clock.js";
import type { EpochMs, Ms } from "../base/units.js";
import { type Config, configKey } from "../contracts/config/config.js";
import type { ModelChoice } from "../contracts/models/model.js";
import type { FallbackEntry, ModelLine } from "../contracts/models/model-line.js";
import { textOf } from "./core/records.js";
import type { ModelSelection } from "./targets.js";

/** How long a provider is left alone that told a limit without saying how long it lasts (core part, 4.5). */
const HOLD_MS: Ms = 60_000;

export const FALLBACK_PROVIDERS = configKey<unknown>({
  key: "fallback_providers",
  kind: { type: "any" },
  default: [],
  help: "Fallback models, in order: a list of {provider, model, base_url, api_key, key_env}.",
});

export const FALLBACK_MODEL = configKey<unknown>({
  key: "fallback_model",
  kind: { type: "any" },
  default: [],
  help: "Older form of fallback_providers, read only if that is not set.",
});

/** Every key of the chain. */
export const FALLBACK_KEYS = [FALLBACK_PROVIDERS, FALLBACK_MODEL] as const;

/** The configured chain. An entry without provider or model is left out. */
export function fallbackEntries(config: Config): readonly FallbackEntry[] {
  const given = config.get(config.source(FALLBACK_PROVIDERS) === "default" ? FALLBACK_MODEL : FALLBACK_PROVIDERS);
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  return list.flatMap((item) => {
    if (!isRecord(item)) return [];
    const provider = textOf(item, "provider");
    const model = textOf(item, "model");
    const baseUrl = textOf(item, "base_url");
    const key = textOf(item, "api_key");
    const keyEnv = textOf(item, "key_env") ?? textOf(item, "api_key_env");
    if (provider === undefined || model === undefined) return [];
    return [
      {
        provider,
        model,
        ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
        ...(key === undefined ? {} : { api_key: key }),
        ...(keyEnv === undefined ? {} : { key_env: keyEnv }),
      },
    ];
  });
}

/** Whether an entry names the same model at the same place: provider and model, or address and model. */
export function isSame(
  entry: FallbackEntry,
  other: { readonly provider: string; readonly model: string; readonly base_url?: string },
): boolean {
  if (entry.model !== other.model) return false;
  const address = plainUrl(entry.base_url);
  if (address !== "" && plainUrl(other.base_url) !== "") return address === plainUrl(other.base_url);
  return entry.provider === other.provider;
}

const plainUrl = (url = ""): string => url.trim().replace(/\/+$/, "");

export interface LineDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: (name: string) => string | undefined;
  readonly choose: (wanted: ModelSelection) => Promise<ModelChoice>;
  readonly learn: (choice: ModelChoice, window: number) => void;
}

/** Providers that told a limit, and until when they are left alone. Of the process: each turn begins with a look at it. */
export type Holds = Map<string, EpochMs>;

const LIMITS: ReadonlySet<string> = new Set(["rate_limit", "billing", "credentials_exhausted"]);
const placeOf = (choice: ModelChoice): string =>
  JSON.stringify([choice.provider.id, choice.provider.baseUrl, choice.model]);

/** The line of one turn behind `primary`. */
export function modelLine(deps: LineDeps, holds: Holds, primary: ModelChoice): ModelLine {
  const waiting = [...fallbackEntries(deps.config)].filter((entry) => !isSame(entry, described(primary)));
  const unusable: string[] = [];
  return {
    get left() {
      return waiting.length > 0;
    },
    get held() {
      return waiting.length > 0 && (holds.get(placeOf(primary)) ?? 0) > deps.clock.now();
    },
    unusable,
    failed: (choice, failure) => {
      if (LIMITS.has(failure.class)) holds.set(placeOf(choice), deps.clock.now() + (failure.resetMs ?? HOLD_MS));
    },
    next: async (current) => {
      for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
        if (isSame(entry, described(current))) continue;
        try {
          return await deps.choose(wantedOf(deps, entry));
        } catch (error) {
          const reason = toAppError(error).message;
          unusable.push(`${entry.model} via ${entry.provider} (${reason})`);
          deps.log.warning("failed to use a fallback provider", {
            provider: entry.provider,
            model: entry.model,
            reason,
          });
        }
      }
      return undefined;
    },
    adopt: (choice, window, remember) => {
      if (remember) deps.learn(choice, window);
      return { ...choice, window };
    },
  };
}

const described = ({ provider, model }: ModelChoice) => ({ provider: provider.id, model, base_url: provider.baseUrl });

function wantedOf({ env }: LineDeps, entry: FallbackEntry): ModelSelection {
  const named = entry.key_env === undefined ? undefined : env(entry.key_env);
  const key = entry.api_key ?? named;
  return {
    provider: entry.provider,
    model: entry.model,
    exact: true,
    ...(entry.base_url === undefined ? {} : { baseUrl: entry.base_url }),
    ...(key === undefined ? {} : { apiKey: key }),
  };
}
