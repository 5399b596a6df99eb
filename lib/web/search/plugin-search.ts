import { withLinkedSignal } from "../../base/async/abort-any.js";
import { isRecord } from "../../base/json/record.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { PluginProvider } from "../../contracts/plugins/context.js";
import type { SearchBackend, SearchOutcome, WebHit } from "../../contracts/web/search.js";

const LIMIT_MS = 30_000;

/** What a plugin registers with `registerWebSearchProvider`: its methods are checked there. */
interface PluginSearch extends PluginProvider {
  isAvailable(): unknown;
  search(question: { readonly query: string; readonly limit: number; readonly signal: AbortSignal }): unknown;
}

/** The service of a plugin as one of the services here. What it throws or answers amiss is reported as its failure. */
export function pluginSearch(provider: PluginProvider): SearchBackend {
  const { name } = provider;
  const plugin = provider as PluginSearch; // registered with both methods
  return {
    name,
    lacks: () => {
      try {
        return plugin.isAvailable() === true ? undefined : `the plugin of ${name} says that it is not available`;
      } catch (error) {
        return `the plugin of ${name} failed: ${messageOf(error)}`;
      }
    },
    search: async (query, limit, { clock }, signal) => {
      let answer: unknown;
      try {
        const work = async (inner: AbortSignal) => {
          answer = await Promise.race([plugin.search({ query, limit, signal: inner }), stopped(inner)]);
        };
        if (!(await settlesWithin(clock, LIMIT_MS, withLinkedSignal([signal], work))))
          return { ok: false, why: `the plugin of ${name} did not answer within ${LIMIT_MS / 1_000} s` };
      } catch (error) {
        signal.throwIfAborted();
        return { ok: false, why: `the plugin of ${name} failed: ${messageOf(error)}` };
      }
      return outcomeOf(name, answer);
    },
  };
}

function stopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

function outcomeOf(name: string, answer: unknown): SearchOutcome {
  const list = isRecord(answer) ? answer["results"] : answer;
  if (!Array.isArray(list) || !list.every(isHit))
    return { ok: false, why: `the plugin of ${name} answered no list of {title, url, description}` };
  return { ok: true, found: list.map(({ title, url, description = "" }) => ({ title, url, description })) };
}

function isHit(value: unknown): value is Omit<WebHit, "description"> & { readonly description?: string } {
  if (!isRecord(value)) return false;
  const { title, url, description } = value;
  return typeof title === "string" && typeof url === "string" && ["string", "undefined"].includes(typeof description);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 300);
