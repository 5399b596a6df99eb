import { isRecord } from "../base/json/record.js";
import type { Clock } from "../base/time/clock.js";
import type { SideUse } from "../contracts/chat/compact.js";
import type { McpEntry } from "../contracts/mcp/entry.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";

const MINUTE_MS = 60_000;
const TEXT_CHARS = 400_000;

export interface SamplingParts {
  readonly server: string;
  readonly settings: McpEntry["sampling"];
  readonly aux: AuxClient;
  readonly clock: Clock;
  /** A line for the call that the request belongs to. */
  tell(text: string): void;
  /** Counts what the request has cost for the conversation of that call. */
  used(use: SideUse): Promise<void>;
}

/** Answers a request of a server to a model (extensions part, 2.7): by the model for side work, within the caps of the entry. */
export type Sampling = (
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>>>;

/** @returns what throws, with words for the server, when a cap is reached or no model answers */
export function createSampling({ server, settings, aux, clock, tell, used }: SamplingParts): Sampling {
  const asked: number[] = [];
  return async (params, signal) => {
    const now = clock.mono();
    while (asked[0] !== undefined && now - asked[0] > MINUTE_MS) asked.shift();
    if (asked.length >= settings.max_rpm)
      throw new Error(`more than ${settings.max_rpm} requests in a minute; try again later`);
    asked.push(now);
    // Tools are not declared: a server that sends them anyway would wait for calls of them.
    if (Array.isArray(params["tools"]) && params["tools"].length > 0)
      throw new Error("requests with tools are not offered to servers");
    const wish = wishedModel(settings, params["modelPreferences"]);
    const wanted = typeof params["maxTokens"] === "number" ? params["maxTokens"] : settings.max_tokens_cap;
    const maxOutputTokens = Math.max(1, Math.min(wanted, settings.max_tokens_cap));
    tell(`${server} asks a model (at most ${maxOutputTokens} tokens)`);
    const limit = new AbortController();
    const cancel = clock.after(settings.timeout * 1000, () => limit.abort(new Error("it took too long")));
    const stop = () => limit.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const answer = await aux.ask(
        {
          slot: "mcp",
          ...(wish === undefined ? {} : { model: wish }),
          system: typeof params["systemPrompt"] === "string" ? params["systemPrompt"].slice(0, TEXT_CHARS) : "",
          user: messagesText(params["messages"]),
          temperature: typeof params["temperature"] === "number" ? params["temperature"] : 1,
          maxOutputTokens,
        },
        limit.signal,
      );
      if (!answer.ok)
        throw new Error(answer.why === "failed" ? `the model gave no answer (${answer.class})` : NO_MODEL);
      if (answer.used !== undefined) await used({ slot: "mcp", ...answer.used });
      const model = answer.used?.model ?? "unknown";
      if (settings.allowed_models.length > 0 && !settings.allowed_models.includes(model))
        throw new Error(`the model ${model} is not among sampling.allowed_models`);
      return { role: "assistant", model, content: { type: "text", text: answer.text }, stopReason: "endTurn" };
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
    }
  };
}

/** The model of the entry, else the first of those that it allows whose name holds a hint of the server. */
function wishedModel(
  { model, allowed_models: allowed }: McpEntry["sampling"],
  preferences: unknown,
): string | undefined {
  if (model !== "") return model;
  const hints: unknown = isRecord(preferences) ? preferences["hints"] : undefined;
  const names = (Array.isArray(hints) ? hints : []).flatMap((hint: unknown) =>
    isRecord(hint) && typeof hint["name"] === "string" && hint["name"] !== "" ? [hint["name"].toLowerCase()] : [],
  );
  for (const name of names) {
    const found = allowed.find((one) => one.toLowerCase().includes(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

const NO_MODEL = "no model is configured for requests of servers (auxiliary.mcp)";

/** The conversation as one text: side work has one question. */
function messagesText(messages: unknown): string {
  const list = Array.isArray(messages) ? messages : [];
  const texts = list.flatMap((message: unknown) => {
    if (!isRecord(message)) return [];
    const blocks: readonly unknown[] = Array.isArray(message["content"]) ? message["content"] : [message["content"]];
    const text = blocks
      .map((block) => (isRecord(block) && typeof block["text"] === "string" ? block["text"] : "[no text]"))
      .join("\n");
    return [{ role: String(message["role"]), text }];
  });
  const joined = texts.length === 1 ? texts[0]?.text : texts.map(({ role, text }) => `${role}: ${text}`).join("\n\n");
  return (joined ?? "").slice(0, TEXT_CHARS);
}
