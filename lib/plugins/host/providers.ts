import { isAbsolute } from "node:path";
import { AppError } from "../../base/errors.js";
import { isRecord } from "../../base/json/record.js";
import type { PluginProvider, ProviderKind } from "../../contracts/plugins/context.js";
import type { PluginSkill } from "../../contracts/skills/skill.js";
import { isAuxSlot } from "../../models/auxiliary.js";
import { isReservedProvider } from "../../models/plugin/plugin-models.js";

/** Methods that an object of a kind must have. The part that takes it checks the rest. */
const METHODS: Readonly<Record<ProviderKind, readonly string[]>> = {
  image: ["isAvailable", "generate"],
  video: ["isAvailable", "listModels", "generate"],
  web_search: ["isAvailable", "search"],
  browser: ["isAvailable", "open"],
  tts: ["isAvailable", "speak"],
  transcription: ["transcribe"],
  dashboard_auth: ["begin", "complete"],
  proxy_adapter: ["isAuthenticated", "state", "getCredential", "getRetryCredential"],
  model_provider: ["stream"],
  memory: [],
  context_engine: ["summarize"],
  platform: ["create"],
  auxiliary_task: [],
  skill: [],
};

/** Kinds whose names stand in settings and command lines. */
const SPELLED: ReadonlySet<ProviderKind> = new Set<ProviderKind>(["model_provider", "auxiliary_task", "platform"]);

export interface RegisteredProvider {
  readonly plugin: string;
  readonly provider: PluginProvider;
}

/** Takes an object when it is registered, and hands it to the part that uses it. Answers what takes it back. @throws when it does not fit there */
export type ProviderConsumer = (provider: PluginProvider) => (() => void) | undefined;

/** Objects that plugins brought, by kind and name. */
export interface ProviderRegistry {
  /** @throws E_INVALID the object does not hold, or its name is taken */
  add(kind: ProviderKind, plugin: string, provider: unknown): () => void;
  list(kind: ProviderKind): readonly RegisteredProvider[];
  find(kind: ProviderKind, name: string): RegisteredProvider | undefined;
}

export function createProviderRegistry(
  consumers: Partial<Record<ProviderKind, ProviderConsumer>> = {},
): ProviderRegistry {
  const all = new Map<ProviderKind, Map<string, RegisteredProvider>>();
  const of = (kind: ProviderKind) => {
    const known = all.get(kind) ?? new Map<string, RegisteredProvider>();
    all.set(kind, known);
    return known;
  };
  return {
    add: (kind, plugin, given) => {
      const provider = checked(kind, given);
      const known = of(kind);
      const { name } = provider;
      const other = known.get(name);
      if (other !== undefined)
        throw new AppError("E_INVALID", `${kind} ${name} is already registered by ${other.plugin}`);
      const release = consumers[kind]?.(provider);
      known.set(name, { plugin, provider });
      return () => {
        known.delete(name);
        release?.();
      };
    },
    list: (kind) => [...of(kind).values()],
    find: (kind, name) => of(kind).get(name),
  };
}

function skillDir(given: unknown): string | undefined {
  const dir: unknown = isRecord(given) ? given["dir"] : undefined;
  return typeof dir === "string" && isAbsolute(dir) ? dir : undefined;
}

/** Skills that plugins have registered, with the keys of their plugins. */
export const pluginSkills = (providers: Pick<ProviderRegistry, "list">): readonly PluginSkill[] =>
  providers.list("skill").flatMap(({ plugin, provider }) => {
    const dir = skillDir(provider);
    return dir === undefined ? [] : [{ plugin, name: provider.name, dir }];
  });

function checked(kind: ProviderKind, given: unknown): PluginProvider {
  const name: unknown = isRecord(given) ? given["name"] : undefined;
  if (typeof name !== "string" || !/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/.test(name))
    throw new AppError("E_INVALID", `${kind}: an object with a name is wanted`);
  if (SPELLED.has(kind) && !/^[a-z][a-z0-9_-]{0,31}$/.test(name))
    throw new AppError("E_INVALID", `${kind} ${name}: a name of lower-case letters, digits, - and _ is wanted`);
  if (kind === "model_provider" && isReservedProvider(name))
    throw new AppError("E_INVALID", `model_provider ${name}: the program has a provider or protocol of this name`);
  if (kind === "auxiliary_task" && isAuxSlot(name))
    throw new AppError("E_INVALID", `auxiliary_task ${name}: the program has one of this name`);
  const missing = METHODS[kind].filter((method) => typeof Reflect.get(given as object, method) !== "function"); // it has a name
  if (missing.length > 0) throw new AppError("E_INVALID", `${kind} ${name}: missing ${missing.join(", ")}`);
  if (kind === "skill" && skillDir(given) === undefined)
    throw new AppError("E_INVALID", `skill ${name}: dir must be the absolute path of a directory with a SKILL.md`);
  return given as PluginProvider; // a named object with its methods
}
