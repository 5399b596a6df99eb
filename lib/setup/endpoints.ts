import { PROVIDERS } from "../../adapters/providers/index.gen.js";
import { toAppError } from "../base/errors.js";
import { Secret } from "../base/secret.js";
import type { Ms } from "../base/units.js";
import type { Provider } from "../contracts/models/model.js";
import type { ProviderPorts } from "../models/core/define.js";
import { detectProtocol } from "../models/core/endpoints.js";
import { firstChatModel } from "../models/detect.js";

/** An address with what opens it. */
export interface ServerEndpoint {
  /** Name under `providers`, or `custom`. */
  readonly id: string;
  readonly baseUrl: string;
  readonly key?: string | undefined;
}

/** What became of a look at an endpoint: what it said, or one sentence about what is wrong. */
export type Looked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Looks at endpoints that are not in the settings yet. */
export interface Endpoints {
  /** Models that the endpoint lists. */
  models(endpoint: ServerEndpoint): Promise<Looked<readonly string[]>>;
  /** Ask a model for one word. The value says which model answered. */
  tryOut(endpoint: ServerEndpoint, model: string): Promise<Looked<string>>;
}

const LIST_MS: Ms = 10_000;
/** A model of this machine may have to be loaded first. */
const TRY_MS: Ms = 60_000;
/** The least that every wire accepts. */
const TRY_TOKENS = 16;

/** Over the wires that the program speaks. @param signal ends what is under way */
export function createEndpoints(ports: ProviderPorts, signal: AbortSignal): Endpoints {
  const within = (limit: Ms) => AbortSignal.any([signal, AbortSignal.timeout(limit)]);
  return {
    models: async (endpoint) => {
      try {
        const provider = await providerOf(ports, endpoint);
        return { ok: true, value: await provider.models(within(LIST_MS)) };
      } catch (error) {
        return { ok: false, problem: toAppError(error).message };
      }
    },
    tryOut: async (endpoint, model) => answerOf(await providerOf(ports, endpoint), model, within(TRY_MS)),
  };
}

async function providerOf(ports: ProviderPorts, { id, baseUrl, key }: ServerEndpoint): Promise<Provider> {
  const mode = detectProtocol(baseUrl);
  const entry = PROVIDERS.find((one) => one.id === mode) ?? PROVIDERS[0];
  const timeouts = { connectMs: LIST_MS, totalMs: TRY_MS, readMs: TRY_MS };
  return (await entry.load()).create(ports, {
    id,
    baseUrl,
    timeouts,
    ...(key === undefined ? {} : { apiKey: new Secret(key) }),
  });
}

async function answerOf(provider: Provider, model: string, signal: AbortSignal): Promise<Looked<string>> {
  const messages = [{ role: "user", content: "Answer with the word OK." }] as const;
  const request = { requestId: "setup", model, messages, tools: [], maxOutputTokens: TRY_TOKENS };
  for await (const event of provider.stream(request, signal)) {
    if (event.type === "done") return { ok: true, value: event.model || model };
    if (event.type === "failed") return { ok: false, problem: event.failure.message };
  }
  return { ok: false, problem: "no response" };
}

/** The model to propose: the one that is set when it is listed, else the first that chats. */
export const proposeModel = (listed: readonly string[], set: string | undefined): string | undefined =>
  set !== undefined && set !== "" && (listed.length === 0 || listed.includes(set)) ? set : firstChatModel(listed);
