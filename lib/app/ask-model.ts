import type { AskModel } from "../chat/turn-types.js";
import { API_MAX_RETRIES, STREAM_RETRIES } from "../models/keys.js";
import { askModel } from "../models/retry.js";
import type { AppOptions } from "./options.js";
import { dumping } from "./request-dump.js";

type Parts = Pick<AppOptions, "home" | "config" | "clock" | "net" | "log">;

/**
 * What asks models for a conversation, in the owner and in workers: requests are retried as configured, and those that fail for good are
 * written to a file.
 *
 * @param wrap Changes requests before they are sent; what it changed is what the file shows.
 */
export function createAskModel(parts: Parts, redact: (text: string) => string, wrap: (ask: AskModel) => AskModel = (ask) => ask): AskModel {
  const { home, config, clock, net, log } = parts;
  const settings = {
    clock,
    random: Math.random,
    attempts: config.get(API_MAX_RETRIES),
    streamRetries: config.get(STREAM_RETRIES),
    rebuild: () => net.rebuild(),
  };
  const ask: AskModel = (choice, request, signal, fallbackLeft = false) => askModel(choice, request, { ...settings, signal, fallbackLeft });
  return dumping(wrap(ask), { home, env: config.env, clock, log, redact });
}
