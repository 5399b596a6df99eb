import { isRecord } from "../base/json/record.js";
import { Secret } from "../base/secret.js";
import type { Config } from "../contracts/config/config.js";
import type { ModelPrice } from "../contracts/models/model.js";
import type { ProviderConfig } from "./core/define.js";
import { isLoopbackUrl } from "./core/endpoints.js";
import { cataloguePrice, configuredPrice } from "./core/prices.js";
import { numberOf, textOf } from "./core/records.js";
import {
  CACHE_TTL,
  CALL_STALE_TIMEOUT,
  MODEL_MAX_TOKENS,
  REQUEST_TIMEOUT,
  RESPONSES_EVENT_TIMEOUT,
  RESPONSES_FIRST_TIMEOUT,
  RESPONSES_PATIENT_ABOVE,
  STREAM_READ_TIMEOUT,
  STREAM_STALE_TIMEOUT,
} from "./keys.js";
import type { ModelTarget } from "./targets.js";

/** An endpoint of the settings, ready to be made a provider: limits, quirks, headers, cap. @param own headers below those that the settings name */
export function configOf(
  config: Config,
  target: ModelTarget,
  own: Readonly<Record<string, string>> = {},
): ProviderConfig {
  const { entry } = target;
  const ofModel = modelEntry(target);
  const stale =
    numberOf(ofModel, "stale_timeout_seconds") ??
    numberOf(entry, "stale_timeout_seconds") ??
    (config.get(STREAM_STALE_TIMEOUT) || undefined);
  const total = numberOf(entry, "request_timeout_seconds") ?? config.get(REQUEST_TIMEOUT);
  const cap = numberOf(ofModel, "max_tokens") ?? (config.get(MODEL_MAX_TOKENS) || undefined);
  return {
    id: target.id,
    baseUrl: target.baseUrl,
    timeouts: {
      connectMs: 30_000,
      totalMs: total * 1000,
      readMs: config.get(STREAM_READ_TIMEOUT) * 1000,
      ...(stale === undefined ? {} : { staleMs: stale * 1000 }),
      ...watchdogs(config),
    },
    cacheTtl: config.get(CACHE_TTL),
    ...(target.apiKey === undefined ? {} : { apiKey: new Secret(target.apiKey) }),
    ...(isRecord(entry["quirks"]) ? { quirks: entry["quirks"] } : {}),
    ...(isRecord(entry["extra_body"]) ? { extraBody: entry["extra_body"] } : {}),
    extraHeaders: { ...own, ...(isRecord(entry["extra_headers"]) ? texts(entry["extra_headers"]) : {}) },
    ...(cap === undefined ? {} : { maxOutputTokens: cap }),
  };
}

function watchdogs(config: Config) {
  const [first, event, progress] = [RESPONSES_FIRST_TIMEOUT, RESPONSES_EVENT_TIMEOUT, CALL_STALE_TIMEOUT].map((key) =>
    config.get(key),
  );
  return {
    patientAbove: config.get(RESPONSES_PATIENT_ABOVE),
    ...(first ? { firstMs: first * 1000 } : {}),
    ...(event ? { eventMs: event * 1000 } : {}),
    ...(progress ? { progressMs: progress * 1000 } : {}),
  };
}

/** What the settings say about the model of a target, under its provider. */
export function modelEntry(target: ModelTarget): Readonly<Record<string, unknown>> {
  const models = target.entry["models"];
  const own = isRecord(models) && target.model !== undefined ? models[target.model] : undefined;
  return isRecord(own) ? own : {};
}

/** What a model of a target costs: the settings come first, and what runs on this machine has the price of no vendor. */
export const priceOf = (target: ModelTarget, model: string): ModelPrice | undefined =>
  configuredPrice(modelEntry({ ...target, model })) ??
  (isLoopbackUrl(target.baseUrl) ? undefined : cataloguePrice(model));

const texts = (record: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(record).map((name) => [name, textOf(record, name) ?? ""]));
