import { isRecord, jsonOf } from "../../base/json/record.js";
import { type LoginEntry, parseLoginEntry, type StoredFields } from "./entry.js";

/** The form that this version writes. */
export const DOCUMENT_VERSION = 1;

/** What is stored of a provider beside its credentials. None of it is a secret. */
export interface ProviderRecord {
  readonly region?: string | undefined;
  readonly portal_url?: string | undefined;
  readonly issuer?: string | undefined;
  readonly inference_url?: string | undefined;
  readonly client_id?: string | undefined;
  readonly scope?: string | undefined;
}

/** Why a login came to its end, until the next one. */
export interface AuthError {
  readonly code: string;
  readonly message: string;
  readonly at: string;
  readonly relogin_required: boolean;
}

/** The login store as it stands. */
export interface LoginView {
  /** Providers with credentials, or with records. */
  readonly ids: readonly string[];
  entries(provider: string): readonly LoginEntry[];
  provider(id: string): ProviderRecord;
  authError(id: string): AuthError | undefined;
  /** Sources that were removed and are not to be picked up again. */
  suppressed(provider: string): readonly string[];
}

type Raw = Record<string, unknown>;

/** The text of the store as a value that can be looked at and changed. Members that are unknown here stay as they are. */
export class LoginDocument implements LoginView {
  readonly #raw: Raw;
  readonly #entries = new Map<string, readonly LoginEntry[]>();
  #changed = false;

  constructor(raw: Raw = {}) {
    this.#raw = raw;
  }

  /** Undefined: the text is not a login store. */
  static parse(text: string): LoginDocument | undefined {
    const value = jsonOf(text);
    if (!isRecord(value) || typeof value["version"] !== "number") return undefined;
    const maps = [value["providers"], value["credential_pool"], value["suppressed_sources"]];
    if (!maps.every((part) => part === undefined || isRecord(part))) return undefined;
    return new LoginDocument(value);
  }

  get version(): number {
    const { version } = this.#raw;
    return typeof version === "number" ? version : DOCUMENT_VERSION;
  }

  /** Something was written into it. */
  get changed(): boolean {
    return this.#changed;
  }

  get ids(): readonly string[] {
    const pool = Object.entries(this.#map("credential_pool")).flatMap(([id, list]) =>
      Array.isArray(list) && list.length > 0 ? [id] : [],
    );
    return [...new Set([...pool, ...Object.keys(this.#map("providers"))])];
  }

  entries(provider: string): readonly LoginEntry[] {
    const known = this.#entries.get(provider) ?? this.#list(provider).flatMap((raw) => parseLoginEntry(raw) ?? []);
    this.#entries.set(provider, known);
    return known;
  }

  provider(id: string): ProviderRecord {
    const raw = this.#map("providers")[id];
    if (!isRecord(raw)) return {};
    const text = (name: keyof ProviderRecord) => (typeof raw[name] === "string" ? raw[name] : undefined);
    return {
      region: text("region"),
      portal_url: text("portal_url"),
      issuer: text("issuer"),
      inference_url: text("inference_url"),
      client_id: text("client_id"),
      scope: text("scope"),
    };
  }

  authError(id: string): AuthError | undefined {
    const record = this.#map("providers")[id];
    const raw = isRecord(record) ? record["last_auth_error"] : undefined;
    if (!isRecord(raw)) return undefined;
    const text = (name: string) => (typeof raw[name] === "string" ? raw[name] : "");
    return {
      code: text("code"),
      message: text("message"),
      at: text("at"),
      relogin_required: raw["relogin_required"] === true,
    };
  }

  suppressed(provider: string): readonly string[] {
    const list = this.#map("suppressed_sources")[provider];
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
  }

  /** Put an entry behind the others. */
  add(provider: string, fields: StoredFields): void {
    this.#set(provider, [...this.#list(provider), defined(fields)]);
  }

  /** Change members of an entry; undefined removes one. Nothing happens when it is gone. */
  patch(provider: string, id: string, fields: StoredFields): void {
    const change = (raw: unknown) => (isRecord(raw) && raw["id"] === id ? defined({ ...raw, ...fields }) : raw);
    this.#set(provider, this.#list(provider).map(change));
  }

  drop(provider: string, id: string): void {
    this.#set(
      provider,
      this.#list(provider).filter((raw) => !isRecord(raw) || raw["id"] !== id),
    );
  }

  /** Put the entry behind the others, where credentials take turns. */
  moveBack(provider: string, id: string): void {
    const list = this.#list(provider);
    const mine = list.filter((raw) => isRecord(raw) && raw["id"] === id);
    this.#set(provider, [...list.filter((raw) => !mine.includes(raw)), ...mine]);
  }

  setProvider(id: string, record: ProviderRecord): void {
    const old = this.#map("providers")[id];
    this.#write("providers", id, defined({ ...(isRecord(old) ? old : {}), ...record }));
  }

  setAuthError(id: string, error: AuthError | undefined): void {
    const old = this.#map("providers")[id];
    if (error === undefined && !isRecord(old)) return;
    this.#write("providers", id, defined({ ...(isRecord(old) ? old : {}), last_auth_error: error }));
  }

  dropProvider(id: string): void {
    this.#write("providers", id, undefined);
    if (this.#raw["active_provider"] === id) this.activate(null);
  }

  /** The provider of the last login. */
  activate(id: string | null): void {
    this.#changed = true;
    this.#raw["active_provider"] = id;
  }

  suppress(provider: string, source: string): void {
    this.#write("suppressed_sources", provider, [...new Set([...this.suppressed(provider), source])]);
  }

  /** Every source of the provider counts again. */
  unsuppress(provider: string): void {
    this.#write("suppressed_sources", provider, undefined);
  }

  /** The text to write. @param at ISO time */
  text(at: string): string {
    const {
      version: _version,
      providers,
      credential_pool,
      active_provider,
      suppressed_sources,
      updated_at: _at,
      ...others
    } = this.#raw;
    const known = { version: DOCUMENT_VERSION, providers: providers ?? {}, credential_pool: credential_pool ?? {} };
    const rest = {
      active_provider: active_provider ?? null,
      suppressed_sources: suppressed_sources ?? {},
      updated_at: at,
    };
    return `${JSON.stringify({ ...known, ...rest, ...others }, null, 2)}\n`;
  }

  #map(name: string): Raw {
    const value = this.#raw[name];
    return isRecord(value) ? value : {};
  }

  #list(provider: string): readonly unknown[] {
    const list = this.#map("credential_pool")[provider];
    return Array.isArray(list) ? list : [];
  }

  #set(provider: string, list: readonly unknown[]): void {
    this.#entries.delete(provider);
    this.#write("credential_pool", provider, list.length === 0 ? undefined : list);
  }

  #write(name: string, key: string, value: unknown): void {
    this.#changed = true;
    this.#raw[name] = defined({ ...this.#map(name), [key]: value });
  }
}

const defined = (record: Raw): Raw =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
