import type { Log } from "../base/log/log.js";
import type { AskModel } from "../chat/turn/turn-types.js";
import type { AppOptions } from "../config/app-options.js";
import { API_MAX_RETRIES, STREAM_RETRIES } from "../models/keys.js";
import { askModel } from "../models/retry.js";
import { dumping } from "./request-dump.js";

const CAUSE_CHARS = 300;

/** The same requests; retries and failures are lines of the log, with their causes at level debug. */
function logFailures(ask: AskModel, log: Log): AskModel {
  return async function* (choice, request, ...more) {
    const session = /^(\d{8}_\d{6}_[0-9a-f]{6}):/.exec(request.requestId)?.[1];
    const facts = { session, provider: choice.provider.id, model: choice.model };
    for await (const event of ask(choice, request, ...more)) {
      if (event.type === "retry") {
        log.info("retry", {
          ...facts,
          class: event.class,
          retry: event.attempt - 1,
          of: event.of - 1,
          wait_ms: event.waitMs,
        });
        log.debug("cause of the retry", { ...facts, cause: event.cause.slice(0, CAUSE_CHARS) });
      }
      if (event.type === "failed" && event.failure.class !== "aborted") {
        log.info("request failed", { ...facts, class: event.failure.class });
        log.debug("cause of the failure", { ...facts, cause: event.failure.message.slice(0, CAUSE_CHARS) });
      }
      yield event;
    }
  };
}

type Parts = Pick<AppOptions, "home" | "config" | "clock" | "net" | "log">;

/**
 * What asks models for a conversation, in the owner and in workers: requests are retried as configured, and those that fail for good are
 * written to a file.
 *
 * @param wrap Changes requests before they are sent; what it changed is what the file shows.
 */
export function createAskModel(
  parts: Parts,
  redact: (text: string) => string,
  wrap: (ask: AskModel) => AskModel = (ask) => ask,
): AskModel {
  const { home, config, clock, net, log } = parts;
  const settings = {
    clock,
    random: Math.random,
    attempts: config.get(API_MAX_RETRIES),
    streamRetries: config.get(STREAM_RETRIES),
    rebuild: () => net.rebuild(),
  };
  const ask: AskModel = (choice, request, signal, fallbackLeft = false) =>
    askModel(choice, request, { ...settings, signal, fallbackLeft });
  return dumping(logFailures(wrap(ask), log.child("provider")), { home, env: config.env, clock, log, redact });
}
