import { isRecord } from "../../base/json/record.js";
import type { ModelPrice, Usage } from "../../contracts/models/model.js";
import { numberOf } from "./records.js";

export type Vendor = "openai" | "anthropic" | "google" | "xai" | "deepseek";

/** List prices in USD per million tokens: uncached input, output, cached input, tokens written to the cache. */
type Row = readonly [input: number, output: number, read: number, write?: number];

/** Vendors' public list prices, by exact id without vendor and release date. Where a price depends on the size of the prompt, it is not here. */
const VENDORS: Readonly<Record<Vendor, Readonly<Record<string, Row>>>> = {
  openai: {
    "gpt-4.1": [2, 8, 0.5],
    "gpt-4.1-mini": [0.4, 1.6, 0.1],
    "gpt-4.1-nano": [0.1, 0.4, 0.025],
    "gpt-4o": [2.5, 10, 1.25],
    "gpt-4o-mini": [0.15, 0.6, 0.075],
    "gpt-5": [1.25, 10, 0.125],
    "gpt-5-mini": [0.25, 2, 0.025],
    "gpt-5-nano": [0.05, 0.4, 0.005],
    "gpt-5-codex": [1.25, 10, 0.125],
    "gpt-5.1": [1.25, 10, 0.125],
    "gpt-5.1-codex": [1.25, 10, 0.125],
    "gpt-5.1-codex-mini": [0.25, 2, 0.025],
    "gpt-5.2": [1.75, 14, 0.175],
    o1: [15, 60, 7.5],
    o3: [2, 8, 0.5],
    "o3-mini": [1.1, 4.4, 0.55],
    "o4-mini": [1.1, 4.4, 0.275],
  },
  anthropic: {
    "claude-3-haiku": [0.25, 1.25, 0.03, 0.3],
    "claude-3-5-haiku": [0.8, 4, 0.08, 1],
    "claude-3-7-sonnet": [3, 15, 0.3, 3.75],
    "claude-haiku-4-5": [1, 5, 0.1, 1.25],
    "claude-opus-4": [15, 75, 1.5, 18.75],
    "claude-opus-4-1": [15, 75, 1.5, 18.75],
    "claude-opus-4-5": [5, 25, 0.5, 6.25],
  },
  google: {
    "gemini-2.0-flash": [0.1, 0.4, 0.025],
    "gemini-2.5-flash": [0.3, 2.5, 0.03],
    "gemini-2.5-flash-lite": [0.1, 0.4, 0.01],
  },
  xai: {
    "grok-3": [3, 15, 0.75],
    "grok-3-mini": [0.3, 0.5, 0.075],
    "grok-code-fast-1": [0.2, 1.5, 0.02],
  },
  deepseek: {
    "deepseek-chat": [0.28, 0.42, 0.028],
    "deepseek-reasoner": [0.28, 0.42, 0.028],
  },
};

/** Models that are priced, but that their vendor is retiring. */
const RETIRING: ReadonlySet<string> = new Set(["claude-3-haiku", "claude-3-5-haiku", "gemini-2.0-flash"]);

/** Parts of a request that side work mostly is: far more is read than written. */
const INPUT_SHARE = 4;

/** The vendor's cheapest model that is wanted. */
export function cheapestModel(vendor: Vendor, wanted: (model: string) => boolean): string | undefined {
  const cost = ([input, output]: Row) => input * INPUT_SHARE + output;
  return Object.entries(VENDORS[vendor])
    .filter(([name]) => !RETIRING.has(name) && wanted(name))
    .sort(([, a], [, b]) => cost(a) - cost(b))[0]?.[0];
}

/** Ends of ids that name a release and not another model: `-20250929`, `-2025-08-07`, `-latest`, `@20250929`. */
const RELEASE = /(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$/;

const bareOf = (model: string): string =>
  model
    .slice(model.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(RELEASE, "");

/** What a hosted model costs by its vendor's list; undefined: unknown, which is never 0. */
export function cataloguePrice(model: string): ModelPrice | undefined {
  const bare = bareOf(model);
  const rows = Object.values(VENDORS).find((candidate) => Object.hasOwn(candidate, bare));
  const row = rows?.[bare];
  return row === undefined ? undefined : toPrice(row);
}

const toPrice = ([input, output, cacheRead, cacheWrite = input]: Row): ModelPrice => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

/** The price that the settings give a model: `providers.<id>.models.<model>.price`, USD per million tokens. */
export function configuredPrice(entry: Readonly<Record<string, unknown>>): ModelPrice | undefined {
  const price = entry["price"];
  if (!isRecord(price)) return undefined;
  const input = numberOf(price, "input");
  const output = numberOf(price, "output");
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cacheRead: numberOf(price, "cache_read") ?? input,
    cacheWrite: numberOf(price, "cache_write") ?? input,
  };
}

/** Usage with its price, where the provider reports none. */
export function priced(usage: Usage, price: ModelPrice | undefined): Usage {
  if (usage.costUsd !== undefined || price === undefined) return usage;
  const { input, output, cacheRead, cacheWrite } = usage;
  const costUsd =
    (input * price.input + output * price.output + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite) /
    1_000_000;
  return { ...usage, costUsd, estimated: true };
}
