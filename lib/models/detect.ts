import { type Net, NetError } from "../base/net/net.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import { modelIds } from "./core/model-rows.js";

/** Ollama, LM Studio, llama.cpp, in the order in which they win (core part, 3.7). */
const PORTS = [11434, 1234, 8080] as const;
const LIMIT_MS = 300;
const EVERY_MS: Ms = 60_000;
const MAX_LIST_BYTES = 4 << 20;

/** Ids with these words do not chat. */
const NO_CHAT = /embed|rerank|whisper|tts/i;

export interface LocalServer {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** Ids that chat, never empty, in the server's order. */
  readonly models: readonly string[];
}

export interface LocalDetection {
  /** The first server on this machine that lists models, or undefined. Looks at most every 60 s, for at most 300 ms. */
  find(): Promise<LocalServer | undefined>;
}

export function createDetection(net: Net, clock: Clock, ports: readonly number[] = PORTS): LocalDetection {
  let last: { at: Ms; found: Promise<LocalServer | undefined> } | undefined;
  return {
    find: () => {
      const now = clock.mono();
      if (last === undefined || now - last.at >= EVERY_MS) last = { at: now, found: look(net, ports) };
      return last.found;
    },
  };
}

async function look(net: Net, ports: readonly number[]): Promise<LocalServer | undefined> {
  const answers = await Promise.all(ports.map((port) => ask(net, port)));
  return answers.find((server) => server !== undefined);
}

async function ask(net: Net, port: number): Promise<LocalServer | undefined> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  try {
    const response = await net.fetch({
      method: "GET",
      url: `${baseUrl}/models`,
      headers: { accept: "application/json" },
      connectMs: LIMIT_MS,
      totalMs: LIMIT_MS,
      purpose: "loopback",
    });
    const text = await response.text(MAX_LIST_BYTES);
    const models = response.status === 200 ? modelIds(text).filter((id) => !NO_CHAT.test(id)) : [];
    return models.length > 0 ? { baseUrl, models } : undefined;
  } catch (error) {
    if (error instanceof NetError) return undefined;
    throw error;
  }
}

/** The first id that chats. */
export function firstChatModel(ids: readonly string[]): string | undefined {
  return ids.find((id) => !NO_CHAT.test(id));
}
