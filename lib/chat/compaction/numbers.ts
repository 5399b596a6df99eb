import type { Config } from "../../contracts/config/config.js";
import {
  COMPRESSION_ABORT,
  COMPRESSION_ENABLED,
  COMPRESSION_HYGIENE,
  COMPRESSION_MODELS,
  COMPRESSION_PROTECT_FIRST,
  COMPRESSION_PROTECT_LAST,
  COMPRESSION_TARGET_RATIO,
  COMPRESSION_THRESHOLD,
} from "../config/compaction-keys.js";

/** Numbers of compaction for one model and window (core part, 8.1). Tokens, unless it says otherwise. */
export interface Numbers {
  readonly enabled: boolean;
  readonly window: number;
  /** Size at which a conversation is compacted by itself. */
  readonly trigger: number;
  /** What the newest messages may fill afterwards. */
  readonly tailBudget: number;
  readonly first: number;
  readonly last: number;
  readonly abort: boolean;
  /** Messages of a conversation on a messaging platform. */
  readonly hygiene: number;
}

/** A trigger below this would compact conversations that every model holds with ease. */
const LEAST_TRIGGER = 64_000;
/** Of a window that is itself smaller. */
const SMALL_SHARE = 0.75;
/** Of the window, after the user has undone a compaction (core part, 8.5). */
const LATE_SHARE = 0.9;

export function numbersFor(config: Config, model: string, window: number): Numbers {
  const threshold = thresholdOf(config.get(COMPRESSION_MODELS), model) ?? config.get(COMPRESSION_THRESHOLD);
  const trigger = triggerOf(window, threshold);
  return {
    enabled: config.get(COMPRESSION_ENABLED),
    window,
    trigger,
    tailBudget: Math.floor(trigger * config.get(COMPRESSION_TARGET_RATIO)),
    first: config.get(COMPRESSION_PROTECT_FIRST),
    last: config.get(COMPRESSION_PROTECT_LAST),
    abort: config.get(COMPRESSION_ABORT),
    hygiene: config.get(COMPRESSION_HYGIENE),
  };
}

const triggerOf = (window: number, threshold: number): number =>
  Math.floor(Math.max(window * threshold, Math.min(LEAST_TRIGGER, SMALL_SHARE * window)));

export const lateTrigger = (window: number): number => Math.floor(window * LATE_SHARE);

/** Growth since the last real count below which an estimate of the whole is not believed (core part, 8.2 a). */
export const littleGrowth = (trigger: number): number => Math.max(4096, trigger * 0.05);

/** The threshold that a model has of its own. */
function thresholdOf(models: unknown, model: string): number | undefined {
  if (typeof models !== "object" || models === null) return undefined;
  const name = Object.keys(models).find((one) => one.toLowerCase() === model.toLowerCase());
  const own: unknown = name === undefined ? undefined : Reflect.get(models, name);
  const value: unknown = typeof own === "object" && own !== null ? Reflect.get(own, "threshold") : undefined;
  return typeof value === "number" && value > 0 && value < 1 ? value : undefined;
}
