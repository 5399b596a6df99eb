/** Credentials of tools that ask a provider's own service: the social search, videos, speech (proxy part, 10). */
import type { Credential } from "./credentials.js";

/** Where a credential comes from. */
export type CredentialKind = "oauth" | "api_key";
/** Which of them a tool may use. `auto`: the login if there is one, even a broken one, else the key. */
export type CredentialChoice = "auto" | CredentialKind;

export interface ToolCredential extends Credential {
  /** Told in the result of the tool. */
  readonly kind: CredentialKind;
}

/** The credentials of one provider for tools. They are resolved for every call. */
export interface ToolCredentials {
  /** There is a login or a key, working or not. Offline. */
  exists(choice: CredentialChoice): Promise<boolean>;
  /**
   * The credential for one call, renewed where that is due. A broken login is never replaced by a key.
   *
   * @param baseUrl Address of the settings in place of that of the credential; empty: none
   * @throws E_AUTH none, or a login that came to its end: the message names `agent auth add <provider>`; E_RATE_LIMIT all of them rest;
   *   E_USAGE the credential may not be sent to `baseUrl`
   */
  get(choice: CredentialChoice, baseUrl: string, signal: AbortSignal): Promise<ToolCredential>;
  /** The provider refused a login with 401: the renewed one, or undefined for a key, which cannot be renewed. @throws E_AUTH the login came to its end */
  renew(refused: ToolCredential, signal: AbortSignal): Promise<ToolCredential | undefined>;
  /** A call with it was answered well. Never rejects. */
  worked(used: ToolCredential): Promise<void>;
}
