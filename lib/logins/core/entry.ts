import * as z from "zod";
import { Secret } from "../../base/secret.js";
import { sha256 } from "../../base/text/hash.js";
import type { EpochMs } from "../../base/units.js";

/** One credential of a provider (proxy part, 4.2), as the store has it or as a variable gives it. */
export interface LoginEntry {
  /** Eight hex digits. */
  readonly id: string;
  /** `shared`, or `profile:<name>`. */
  readonly scope: string;
  readonly label: string;
  readonly type: "oauth" | "api_key";
  /** 0 is taken first. */
  readonly priority: number;
  /** `manual`, `manual:<flow>`, `env:<VAR>`, `device_code`, ... A borrowed one is stored without its secret. */
  readonly source: string;
  readonly accessToken: Secret | undefined;
  readonly refreshToken: Secret | undefined;
  readonly tokenType: string | undefined;
  readonly expiresAt: EpochMs | undefined;
  readonly obtainedAt: EpochMs | undefined;
  /** Counts the rotations of its tokens. */
  readonly generation: number;
  readonly status: "ok" | "exhausted" | "dead" | undefined;
  readonly statusAt: EpochMs | undefined;
  readonly errorCode: string | undefined;
  readonly errorReason: string | undefined;
  readonly errorMessage: string | undefined;
  /** When an exhausted one may be taken again. */
  readonly resetAt: EpochMs | undefined;
  readonly baseUrl: string | undefined;
  readonly region: string | undefined;
  /** Where and as whom the login was made: its refresh token goes nowhere else. */
  readonly portalUrl: string | undefined;
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  /** File with certificates of further authorities, for requests of the login itself. */
  readonly caBundle: string | undefined;
  /** Certificates of its hosts on this machine are not verified. */
  readonly insecure: boolean;
  readonly requests: number;
  /** Of a borrowed secret: another one begins without the status of this one. */
  readonly fingerprint: string | undefined;
}

const secret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text))
  .nullish();
const instant = z
  .string()
  .transform((text) => Date.parse(text))
  .refine((at) => !Number.isNaN(at))
  .nullish();
const text = z.string().nullish();

const STORED = z.object({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  scope: z.string().default("shared"),
  label: z.string().default(""),
  auth_type: z.enum(["oauth", "api_key"]),
  priority: z.number().default(0),
  source: z.string().default("manual"),
  access_token: secret,
  refresh_token: secret,
  token_type: text,
  expires_at: instant,
  obtained_at: instant,
  generation: z.number().default(0),
  last_status: z.enum(["ok", "exhausted", "dead"]).nullish(),
  last_status_at: instant,
  last_error_code: text,
  last_error_reason: text,
  last_error_message: text,
  last_error_reset_at: instant,
  base_url: text,
  region: text,
  portal_url: text,
  issuer: text,
  client_id: text,
  ca_bundle: text,
  insecure: z.literal(1).nullish(),
  request_count: z.number().default(0),
  secret_fingerprint: text,
  last_refresh: text,
  scope_granted: text,
});

/** Names of the members of a stored entry. What else it has stays as it is. */
export type StoredFields = { readonly [Name in keyof z.input<typeof STORED>]?: string | number | undefined };

/** An entry as the file has it; undefined when it is none that this version can use. */
export function parseLoginEntry(value: unknown): LoginEntry | undefined {
  const parsed = STORED.safeParse(value);
  if (!parsed.success) return undefined;
  const row = parsed.data;
  return {
    id: row.id,
    scope: row.scope,
    label: row.label,
    type: row.auth_type,
    priority: row.priority,
    source: row.source,
    generation: row.generation,
    requests: row.request_count,
    accessToken: row.access_token ?? undefined,
    refreshToken: row.refresh_token ?? undefined,
    tokenType: row.token_type ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    obtainedAt: row.obtained_at ?? undefined,
    status: row.last_status ?? undefined,
    statusAt: row.last_status_at ?? undefined,
    errorCode: row.last_error_code ?? undefined,
    errorReason: row.last_error_reason ?? undefined,
    errorMessage: row.last_error_message ?? undefined,
    resetAt: row.last_error_reset_at ?? undefined,
    baseUrl: row.base_url ?? undefined,
    region: row.region ?? undefined,
    portalUrl: row.portal_url ?? undefined,
    issuer: row.issuer ?? undefined,
    clientId: row.client_id ?? undefined,
    caBundle: row.ca_bundle ?? undefined,
    insecure: row.insecure === 1,
    fingerprint: row.secret_fingerprint ?? undefined,
  };
}

/** What may be written of a secret that belongs elsewhere. */
export const fingerprintOf = (secret: Secret): string => `sha256:${sha256(secret.reveal()).slice(0, 16)}`;

/** Its secret belongs to the environment, the settings or another program, and is never written. */
export const isBorrowed = (source: string): boolean => /^(env|config|file):/.test(source);
