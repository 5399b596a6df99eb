import { linkSignals } from "../base/async/abort-any.js";
import { isRecord } from "../base/json/record.js";
import { COMPRESSION_ENGINE } from "../chat/config/compaction-keys.js";
import type { AppOptions } from "../config/app-options.js";
import type { AuxAnswer, AuxClient, AuxQuestion } from "../contracts/models/auxiliary.js";
import type { PluginProvider } from "../contracts/plugins/context.js";

/** As long as a model of the slot `compression` has. */
const LIMIT_MS = 120_000;

/** What a plugin hands to `registerContextEngine`. */
interface ContextEngine extends PluginProvider {
  summarize(
    wanted: { readonly instructions: string; readonly text: string; readonly maxTokens: number },
    signal: AbortSignal,
  ): unknown;
}

/**
 * Side work whose summaries of conversations a plugin writes, where `compression.engine` names one. What it fails at the conversation's own model does.
 *
 * @param engines objects that the registry of providers has looked at
 */
export function withContextEngine(
  ask: AuxClient["ask"],
  { config, clock, log }: Pick<AppOptions, "config" | "clock" | "log">,
  engines: () => readonly PluginProvider[],
): AuxClient["ask"] {
  let missed = "";
  return async (question, signal) => {
    const name = config.get(COMPRESSION_ENGINE).trim();
    if (question.slot !== "compression" || name === "") return ask(question, signal);
    const engine = engines().find((one) => one.name === name);
    if (engine === undefined) {
      if (missed !== name) log.warning("no plugin that is loaded has this context engine", { engine: name });
      missed = name;
      return ask(question, signal);
    }
    const answer = await summarized(engine as ContextEngine, { question, clock, signal }); // it has the method
    if (!answer.ok && answer.why === "failed")
      log.warning("a context engine of a plugin failed", { engine: name, reason: answer.message });
    return answer;
  };
}

interface Summarizing extends Pick<AppOptions, "clock"> {
  readonly question: AuxQuestion;
  readonly signal: AbortSignal | undefined;
}

async function summarized(engine: ContextEngine, { question, clock, signal }: Summarizing): Promise<AuxAnswer> {
  const { system, user, maxOutputTokens } = question;
  const late = new AbortController();
  const cancel = clock.after(LIMIT_MS, () => late.abort(new Error(`no summary within ${LIMIT_MS / 1000} s`)));
  const either = linkSignals(...(signal === undefined ? [] : [signal]), late.signal);
  let stop = (): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    stop = () => reject(either.signal.reason);
    if (either.signal.aborted) stop();
    else either.signal.addEventListener("abort", stop);
  });
  try {
    const wanted = { instructions: system, text: user, maxTokens: maxOutputTokens };
    const work = Promise.resolve(engine.summarize(wanted, either.signal));
    work.catch(() => undefined); // the race below reports it, unless it has ended
    const given: unknown = await Promise.race([work, ended]);
    const text = isRecord(given) ? given["text"] : given;
    if (typeof text === "string" && text.trim() !== "") return { ok: true, text };
    return { ok: false, why: "failed", class: "empty_stream", message: "the summary was empty" };
  } catch (error) {
    const kind = signal?.aborted === true ? "aborted" : late.signal.aborted ? "timeout" : "unknown";
    return { ok: false, why: "failed", class: kind, message: error instanceof Error ? error.message : String(error) };
  } finally {
    cancel();
    either.signal.removeEventListener("abort", stop);
    either.dispose();
  }
}
