import { isRecord } from "../base/json/record.js";
import type { Log } from "../base/log/log.js";
import { type Config, configKey } from "../contracts/config/config.js";
import { endpointOf } from "./core/endpoints.js";

export const ROUTER_CACHE = configKey<boolean>({
  key: "router.response_cache",
  kind: { type: "boolean" },
  default: true,
  env: "AGENT_ROUTER_CACHE",
  help: "Ask the router to answer equal requests from its cache.",
});

export const ROUTER_CACHE_TTL = configKey<unknown>({
  key: "router.response_cache_ttl",
  kind: { type: "any" },
  default: 300,
  env: "AGENT_ROUTER_CACHE_TTL",
  help: "Seconds that the router caches an answer, 1 to 86400. Other values use the router's default, with a warning.",
});

const LONGEST_SECONDS = 86_400;

/** An endpoint of the settings: its address and its entry. */
interface Place {
  readonly baseUrl: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Headers of requests to the router; none for any other host, whatever it is called. @param said values that were complained about */
export function routerHeaders(
  config: Config,
  target: Place,
  { log, said }: { log: Log; said: Set<string> },
): Record<string, string> {
  const quirks = isRecord(target.entry["quirks"]) ? target.entry["quirks"] : {};
  if (endpointOf("", target.baseUrl, quirks).router !== true) return {};
  if (!config.get(ROUTER_CACHE)) return { "x-title": "agent" };
  const written = config.get(ROUTER_CACHE_TTL);
  const seconds = secondsOf(written);
  const shown = String(written);
  if (seconds === undefined && !said.has(shown)) {
    said.add(shown);
    log.warning(`${ROUTER_CACHE_TTL.key} must be a whole number from 1 to ${LONGEST_SECONDS}`, { value: shown });
  }
  return {
    "x-title": "agent",
    "x-openrouter-cache": "true",
    ...(seconds === undefined ? {} : { "x-openrouter-cache-ttl": String(seconds) }),
  };
}

function secondsOf(written: unknown): number | undefined {
  const seconds = typeof written === "string" && /^\d{1,6}$/.test(written.trim()) ? Number(written) : written;
  return Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= LONGEST_SECONDS
    ? Number(seconds)
    : undefined;
}
