import { isRecord } from "../../base/json/record.js";
import { Secret } from "../../base/secret.js";
import { sha256 } from "../../base/text/hash.js";
import type { EpochMs } from "../../base/units.js";
import type { Config } from "../../contracts/config/config.js";
import { type Descriptor, descriptorOf, plainDescriptor } from "./descriptors.js";
import type { LoginView } from "./document.js";
import { fingerprintOf, isBorrowed, type LoginEntry } from "./entry.js";

type Env = Readonly<Record<string, string | undefined>>;

/** Whose credentials are looked at. */
export interface Viewer {
  readonly config: Config;
  /** Process environment with `.env` of the profile over it. */
  readonly env: Env;
  readonly profile: string;
}

/** A secret that is only borrowed, and where it stands. */
export interface Borrowed {
  readonly source: string;
  readonly secret: Secret;
}

/** The provider of that name, as the product or the settings know it; undefined when neither does. */
export function knownProvider(config: Config, name: string): Descriptor | undefined {
  return descriptorOf(name) ?? (readProviderSettings(config, name) === undefined ? undefined : plainDescriptor(name));
}

/** Members of `providers.<id>` in the settings. */
export function readProviderSettings(config: Config, id: string): Readonly<Record<string, unknown>> | undefined {
  const all = config.raw("providers");
  const entry = isRecord(all) && Object.hasOwn(all, id) ? all[id] : undefined;
  return isRecord(entry) ? entry : undefined;
}

/** Secrets of a provider that variables and settings hold, in the order in which they are taken. */
function borrowedOf({ config, env }: Pick<Viewer, "config" | "env">, descriptor: Descriptor): readonly Borrowed[] {
  const entry = readProviderSettings(config, descriptor.id) ?? {};
  const written = ["api_key", "api_keys"].flatMap((name) =>
    textsOf(entry[name]).map((key) => ({ source: configSource(descriptor, name), key })),
  );
  const variables = [
    ...textsOf(entry["key_env"]),
    ...textsOf(entry["api_key_env"]),
    ...(descriptor.keyVariables ?? []),
  ];
  const named = variables.map((name) => ({ source: `env:${name}`, key: env[name]?.trim() ?? "" }));
  const found = [...written, ...named].filter(({ key }) => key !== "");
  const first = new Map(found.toReversed().map((one) => [one.key, one]));
  return found
    .filter((one) => first.get(one.key) === one)
    .map(({ source, key }) => ({ source, secret: new Secret(key) }));
}

const configSource = ({ id }: Descriptor, name: string): string => `config:providers.${id}.${name}`;

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) =>
    typeof item === "string" && item.trim() !== "" ? [item.trim()] : [],
  );

/** Every credential of a provider that this profile may use: its own first, then shared ones, then borrowed ones. */
export function credentialsOf(view: LoginView, viewer: Viewer, descriptor: Descriptor): readonly LoginEntry[] {
  const stored = view.entries(descriptor.id);
  const scopes = [`profile:${viewer.profile}`, "shared"];
  const own = scopes.flatMap((scope) => stored.filter((entry) => entry.scope === scope && !isBorrowed(entry.source)));
  const known = new Set(own.flatMap((entry) => (entry.accessToken ? [fingerprintOf(entry.accessToken)] : [])));
  const suppressed = new Set(view.suppressed(descriptor.id));
  const borrowed = borrowedOf(viewer, descriptor)
    .filter(({ source, secret }) => !suppressed.has(source) && !known.has(fingerprintOf(secret)))
    .map((one) => withStatus(one, descriptor.id, stored));
  return [...own, ...borrowed];
}

/** What is stored of a borrowed secret counts for this very secret only. */
function withStatus({ source, secret }: Borrowed, provider: string, stored: readonly LoginEntry[]): LoginEntry {
  const fingerprint = fingerprintOf(secret);
  const there = stored.find((entry) => entry.source === source && entry.fingerprint === fingerprint);
  if (there !== undefined) return { ...there, accessToken: secret };
  const made = {
    region: undefined,
    portalUrl: undefined,
    issuer: undefined,
    clientId: undefined,
    caBundle: undefined,
    insecure: false,
  };
  const none = {
    ...made,
    refreshToken: undefined,
    tokenType: undefined,
    expiresAt: undefined,
    obtainedAt: undefined,
    baseUrl: undefined,
  };
  const fresh = {
    status: undefined,
    statusAt: undefined,
    errorCode: undefined,
    errorReason: undefined,
    errorMessage: undefined,
  };
  return {
    id: sha256(`${provider} ${source} ${fingerprint}`).slice(0, 8),
    scope: "shared",
    label: source.slice(source.indexOf(":") + 1),
    type: "api_key",
    priority: 0,
    source,
    accessToken: secret,
    ...none,
    ...fresh,
    resetAt: undefined,
    generation: 0,
    requests: 0,
    fingerprint,
  };
}

/** It has a secret and may be taken now. */
export const isAvailable = (entry: LoginEntry, now: EpochMs): boolean =>
  entry.status !== "dead" && hasSecret(entry) && !(entry.status === "exhausted" && (entry.resetAt ?? 0) > now);

/** There is something that could be sent, now or after a refresh. */
export const hasSecret = (entry: LoginEntry): boolean =>
  entry.accessToken !== undefined || entry.refreshToken !== undefined;
