import { createHash } from "node:crypto";
import { AppError, toAppError } from "../base/errors.js";
import type { Log } from "../base/log/log.js";
import type { Net } from "../base/net/net.js";
import { Secret } from "../base/secret.js";
import type { Clock } from "../base/time/clock.js";
import type { Config } from "../contracts/config/config.js";
import type { KeyStore, KnownKey } from "../contracts/models/credentials.js";
import type { ModelChoice, ModelLogin, Provider } from "../contracts/models/model.js";
import type { ModelLine } from "../contracts/models/model-line.js";
import { type AuxChoice, type AuxFound, type AuxSlot, auxWanted, cheaperFor, isAuto } from "./auxiliary.js";
import type { ProviderConfig, ProviderDefinition } from "./core/define.js";
import { isLoopbackUrl } from "./core/endpoints.js";
import { numberOf } from "./core/records.js";
import { createDetection, firstChatModel, type LocalDetection } from "./detect.js";
import { type Holds, modelLine } from "./fallback.js";
import { MODEL_CONTEXT_LENGTH, MODEL_DETECT_LOCAL } from "./keys.js";
import { OFFLINE_MODEL, OFFLINE_WINDOW } from "./offline/provider.js";
import type { PluginModels } from "./plugin/plugin-models.js";
import { pluginProvider } from "./plugin/plugin-stream.js";
import { Pool } from "./pool/key-pool.js";
import { loginFor } from "./pool/login.js";
import { configOf, modelEntry, priceOf } from "./provider-config.js";
import { routerHeaders } from "./router-cache.js";
import {
  type KeyPlaces,
  LOCAL_ID,
  type ModelSelection,
  type ModelTarget,
  mayBeOfPlugin,
  type ResolvedModel,
  resolveTarget,
} from "./targets.js";
import { findWindow, MIN_WINDOW, SMALL_WINDOW } from "./window.js";

export { MODEL_KEYS } from "./keys.js";

/** A provider definition that is loaded when it is needed, as the index of `adapters/providers` lists them. */
export interface ProviderEntry {
  readonly id: string;
  readonly load: () => Promise<ProviderDefinition>;
}

export interface ModelsDeps {
  readonly config: Config;
  readonly net: Net;
  readonly clock: Clock;
  readonly log: Log;
  readonly providers: readonly ProviderEntry[];
  /** Environment with `.env` over it; where `key_env` is looked up. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Keys that logins keep; undefined for settings without logins. */
  readonly stored?: (written: number) => Promise<KeyStore | undefined>;
  /** Providers that plugins bring. */
  readonly ofPlugins?: PluginModels;
  /** For keys that are taken by chance; default: real chance. */
  readonly random?: () => number;
  /** Ports on which local servers are looked for; for tests. */
  readonly ports?: readonly number[];
}

/** The models of this owner. */
export interface Models {
  /**
   * The provider and model of a turn (core part, 3.7). Contacts the network only to look for a local server or to ask for a window.
   * @throws E_USAGE for a provider that is unknown or without a model, E_CONFIG for settings that cannot work or a window that is too small
   * (`data.reason` is `context_too_small`)
   */
  choose(wanted?: ModelSelection): Promise<ModelChoice>;
  /** The provider of an endpoint, whatever model it is asked for. @throws E_USAGE, E_CONFIG */
  provider(id: string): Promise<Provider>;
  /** Names of the providers that plugins bring, once those are loaded. */
  ofPlugins(): Promise<readonly string[]>;
  /** The address of an endpoint and its first key, for a program that talks to it in our place. @throws E_USAGE, E_CONFIG */
  route(id: string): Promise<{ readonly baseUrl: string; readonly key: Secret | undefined }>;
  /** Who takes over when the model that was chosen for a turn fails (core part, 4.5). */
  line(primary: ModelChoice): ModelLine;
  /** The model for side work, or undefined without one, or when it would be the stand-in. Never throws. */
  aux(slot: AuxSlot): Promise<AuxChoice | undefined>;
  /** The same, telling a slot without a model from one whose model cannot be used. Never throws. */
  auxFound(slot: AuxSlot): Promise<AuxFound>;
}

export function createModels(deps: ModelsDeps): Models {
  const state: State = {
    deps,
    said: new Set(),
    detection: createDetection(deps.net, deps.clock, deps.ports),
    made: new Map(),
    windows: new Map(),
    pools: new Map(),
  };
  const holds: Holds = new Map();
  deps.config.onChange(() => {
    state.made.clear();
    state.windows.clear();
  });
  const choose = (wanted: ModelSelection = {}) => chooseFor(state, wanted);
  const resolve = async (id: string) => {
    const wanted = { provider: id, model: "any", exact: true };
    return resolveTarget(config, await placesFor(state, wanted), wanted);
  };
  const auxFound = (slot: AuxSlot) => auxiliary(state, slot, choose);
  const { config, clock, log, env } = deps;
  return {
    choose,
    ofPlugins: async () => {
      await deps.ofPlugins?.ready();
      return (deps.ofPlugins?.list() ?? []).map(({ name }) => name);
    },
    provider: async (id) => {
      const resolved = await resolve(id);
      if (resolved.kind !== "endpoint") return (await choose({ provider: id })).provider;
      const { target } = await withKeys(state, resolved.target);
      return providerFor(state, target.mode, configFor(state, target));
    },
    route: async (id) => {
      const resolved = await resolve(id);
      if (resolved.kind !== "endpoint")
        throw new AppError("E_USAGE", `provider ${id} has no address`, { provider: id });
      const { baseUrl, apiKey } = (await withKeys(state, resolved.target)).target;
      return { baseUrl, key: apiKey === undefined ? undefined : new Secret(apiKey) };
    },
    line: (primary) =>
      modelLine(
        {
          config,
          clock,
          log,
          choose,
          env: (name) => env?.[name],
          learn: (choice, window) =>
            state.windows.set(windowKey(choice.provider.baseUrl, choice.model), Promise.resolve(window)),
        },
        holds,
        primary,
      ),
    auxFound,
    aux: async (slot) => {
      const found = await auxFound(slot);
      return found.kind === "found" ? found.choice : undefined;
    },
  };
}

const configFor = ({ deps, said }: State, target: ModelTarget): ProviderConfig =>
  configOf(deps.config, target, routerHeaders(deps.config, target, { log: deps.log, said }));

interface State {
  readonly deps: ModelsDeps;
  /** Settings that were complained about. */
  readonly said: Set<string>;
  readonly detection: LocalDetection;
  /** Providers by id and address: an endpoint that cannot stream is asked only once. */
  readonly made: Map<string, Promise<Provider>>;
  readonly windows: Map<string, Promise<number>>;
  /** Pools by id and address. What is known about a key outlives a change of the settings. */
  readonly pools: Map<string, Pool>;
}

async function chooseFor(state: State, { model, ...rest }: ModelSelection): Promise<ModelChoice> {
  // An empty name names none.
  const wanted: ModelSelection = model === undefined || model.trim() === "" ? rest : { ...rest, model };
  const { config, stored } = state.deps;
  const store = await stored?.(0);
  const places = { ...(await placesFor(state, wanted)), has: (id: string) => store?.has(id) === true };
  const resolved = resolveTarget(config, places, wanted);
  if (resolved.kind === "offline") return offline(state);
  if (resolved.kind === "search") return search(state, resolved);
  const { target, kept } =
    wanted.apiKey === undefined ? await withKeys(state, resolved.target) : { target: resolved.target };
  return endpoint(state, target, kept);
}

/** Plugins are waited for where the one that is wanted may be theirs. */
async function placesFor({ deps }: State, wanted: ModelSelection): Promise<KeyPlaces> {
  const { config, env, ofPlugins } = deps;
  if (ofPlugins !== undefined && mayBeOfPlugin(config, wanted)) await ofPlugins.ready();
  return { env: (name) => env?.[name], ofPlugins: ofPlugins?.list() ?? [] };
}

/** The endpoint with the keys that logins keep for it. */
async function withKeys(
  state: State,
  target: ModelTarget,
): Promise<{ readonly target: ModelTarget; readonly kept?: Kept }> {
  const store = await state.deps.stored?.(target.keys.length);
  if (store === undefined) return { target };
  const keys = store.keysFor(target.id, target.baseUrl, target.keys);
  const texts = keys.map(({ secret }) => secret.reveal());
  // Other wires want a login in another header.
  const login = texts.length > 0 || target.mode === "anthropic_messages" ? undefined : store.login(target.id);
  const paid = login === undefined ? {} : { login: loginFor(login, target.baseUrl) };
  return { target: { ...target, apiKey: texts[0], keys: texts }, kept: { store, keys, ...paid } };
}

async function search(state: State, resolved: Extract<ResolvedModel, { kind: "search" }>): Promise<ModelChoice> {
  const found = state.deps.config.get(MODEL_DETECT_LOCAL) ? await state.detection.find() : undefined;
  const wanted = resolved.model === OFFLINE_MODEL ? undefined : resolved.model;
  if (found) {
    const model = found.models.find((id) => id === wanted) ?? firstChatModel(found.models);
    const target: ModelTarget = {
      id: LOCAL_ID,
      mode: "chat_completions",
      baseUrl: found.baseUrl,
      apiKey: undefined,
      keys: [],
      model,
      entry: {},
    };
    const notice = `Using ${model} of the local server at ${new URL(found.baseUrl).origin}.`;
    return { ...(await endpoint(state, target, undefined, notice)), found: true };
  }
  if (wanted !== undefined) {
    const hint =
      "agent help models shows how to add a provider; agent config set model.provider offline works without one";
    throw new AppError("E_CONFIG", `no configured provider can serve ${wanted}, and no local server was found`, {
      model: wanted,
      hint,
    });
  }
  return offline(
    state,
    "No model is set up and no local server was found, so the built-in offline assistant is answering. Run `agent setup` to add a model.",
  );
}

async function offline(state: State, notice?: string): Promise<ModelChoice> {
  const config: ProviderConfig = { id: "offline", baseUrl: "", timeouts: { connectMs: 0, totalMs: 0, readMs: 0 } };
  const provider = await providerFor(state, "offline", config);
  return { provider, model: OFFLINE_MODEL, window: OFFLINE_WINDOW, ...(notice === undefined ? {} : { notice }) };
}

interface Kept {
  readonly store: KeyStore;
  readonly keys: readonly KnownKey[];
  readonly login?: ModelLogin;
}

async function endpoint(state: State, target: ModelTarget, kept?: Kept, notice?: string): Promise<ModelChoice> {
  const provider = await providerFor(state, target.mode, configFor(state, target));
  const model = target.model ?? (await listedModel(provider, target));
  const window = await windowOf(state, target, model);
  if (window < MIN_WINDOW) throw tooSmall(model, window);
  const small =
    window < SMALL_WINDOW
      ? `${model} has a window of ${window} tokens, so only the core tools are available.`
      : undefined;
  const lines = [notice, small].filter((line) => line !== undefined).join(" ");
  const keys = poolOf(state, target, kept);
  const login = kept?.login === undefined ? {} : { login: kept.login };
  const price = priceOf(target, model);
  return {
    provider,
    model,
    window,
    ...(price === undefined ? {} : { price }),
    ...(lines === "" ? {} : { notice: lines }),
    ...(keys === undefined ? {} : { keys }),
    ...login,
  };
}

/** Several keys are a pool; a sole one is simply used. */
function poolOf(state: State, target: ModelTarget, kept: Kept | undefined): Pool | undefined {
  if (target.keys.length < 2) return undefined;
  const { config, clock, random = Math.random } = state.deps;
  const place = JSON.stringify([target.id, target.baseUrl]);
  const pool = state.pools.get(place) ?? new Pool({ config, clock, random, store: kept?.store }, target.id);
  state.pools.set(place, pool);
  return pool.take(kept?.keys ?? target.keys.map((key) => ({ secret: new Secret(key) })));
}

function tooSmall(model: string, window: number): AppError {
  return new AppError(
    "E_CONFIG",
    `the context window of ${model} is ${window} tokens (minimum ${MIN_WINDOW}); set model.context_length if the model supports more`,
    {
      reason: "context_too_small",
      model,
      window,
      hint: "agent config set model.context_length <tokens>, or choose a model with a larger window",
    },
  );
}

async function listedModel(provider: Provider, target: ModelTarget): Promise<string> {
  const ids = await provider.models(new AbortController().signal);
  const first = firstChatModel(ids);
  if (first !== undefined) return first;
  const hint = "agent config set model.default <model>";
  throw new AppError("E_CONFIG", `no model configured for ${target.baseUrl}, and the server lists none`, {
    provider: target.id,
    hint,
  });
}

/** The provider of an endpoint, key and limits, made once, so that what it learns about the endpoint stays. */
async function providerFor(state: State, mode: string, config: ProviderConfig): Promise<Provider> {
  const ofPlugin = state.deps.ofPlugins?.list().find(({ name }) => name === mode);
  if (ofPlugin !== undefined) {
    return Object.assign(pluginProvider(ofPlugin, state.deps, config), { mode }); // the plugin may be replaced at any time
  }
  const credential = createHash("sha256")
    .update(config.apiKey?.reveal() ?? "")
    .digest("hex");
  const { id, baseUrl, extraBody, maxOutputTokens, timeouts } = config;
  const key = JSON.stringify([mode, id, baseUrl, credential, extraBody, maxOutputTokens, timeouts]);
  const provider = state.made.get(key) ?? makeProvider(state, mode, config);
  state.made.set(key, provider);
  return provider;
}

async function makeProvider(state: State, mode: string, config: ProviderConfig): Promise<Provider> {
  const { providers, net, clock, log } = state.deps;
  const entry = providers.find((candidate) => candidate.id === mode);
  if (!entry) {
    const modes = providers.map((candidate) => candidate.id).filter((id) => id !== "offline");
    const hint = `use one of ${modes.join(", ")}`;
    throw new AppError("E_CONFIG", `provider ${config.id}: api_mode ${mode} is not available`, {
      provider: config.id,
      hint,
    });
  }
  return Object.assign((await entry.load()).create({ net, clock, log }, config), { mode });
}

async function windowOf(state: State, target: ModelTarget, model: string): Promise<number> {
  const { config, net } = state.deps;
  const configured =
    config.get(MODEL_CONTEXT_LENGTH) ||
    numberOf(modelEntry({ ...target, model }), "context_length") ||
    numberOf(target.entry, "context_length");
  if (configured) return configured;
  const key = windowKey(target.baseUrl, model);
  const headers: Record<string, string> =
    target.apiKey === undefined ? {} : { authorization: `Bearer ${target.apiKey}` };
  const known = state.windows.get(key);
  if (known !== undefined) return known;
  const asked = findWindow({ net, baseUrl: target.baseUrl, model, headers });
  const window = asked.then((found) => found.window);
  // A local server may load the model with another window the next time.
  if (isLoopbackUrl(target.baseUrl)) return window;
  state.windows.set(key, window);
  const again = await asked.then(
    ({ guessed }) => guessed,
    () => true,
  );
  if (again && state.windows.get(key) === window) state.windows.delete(key);
  return window;
}

const windowKey = (baseUrl: string, model: string): string => JSON.stringify([baseUrl, model]);

async function auxiliary(
  state: State,
  slot: AuxSlot,
  choose: (wanted: ModelSelection) => Promise<ModelChoice>,
): Promise<AuxFound> {
  const { wanted, timeoutMs } = auxWanted(state.deps.config, slot);
  try {
    const main = await choose(wanted);
    const choice = isAuto(wanted) ? await cheaperFor(slot, main, choose) : main;
    // The stand-in answers people, by rules. Side work needs a language model.
    if (choice === undefined) return { kind: "none" };
    return choice.provider.id === "offline" ? { kind: "none" } : { kind: "found", choice: { ...choice, timeoutMs } };
  } catch (error) {
    const { message } = toAppError(error);
    state.deps.log.info("no auxiliary model", { slot, reason: message });
    return { kind: "broken", reason: message };
  }
}
