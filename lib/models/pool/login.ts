import { toAppError } from "../../base/errors.js";
import { Secret } from "../../base/secret.js";
import type { Credential, CredentialSource } from "../../contracts/models/credentials.js";
import type { ModelFailure, ModelLogin, ModelRequest } from "../../contracts/models/model.js";

/** A login as requests to one address use it: its bearer is asked for with each of them, so that a renewal needs no new conversation. */
export function loginFor(source: CredentialSource, baseUrl: string): ModelLogin {
  let last: Credential | undefined;
  return {
    bearer: async (signal) => {
      last = await source.get(signal);
      return originOf(last.baseUrl) === originOf(baseUrl) ? new Secret(last.bearer) : undefined;
    },
    refused: async (signal) => {
      const before = last;
      if (before === undefined) return false;
      const other = await source.retry(before, 401, {}, signal);
      return other !== undefined && other.bearer !== before.bearer;
    },
    worked: () => {
      if (last !== undefined) source.succeeded?.(last);
    },
  };
}

const originOf = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).origin : undefined);

/** The login of one request with its repeats: it is renewed at most once for it. */
export class LoginUse {
  readonly #login: ModelLogin | undefined;
  readonly #signal: AbortSignal;
  #renewed = false;

  constructor(login: ModelLogin | undefined, signal: AbortSignal) {
    this.#login = login;
    this.#signal = signal;
  }

  /** The request with the bearer of this moment, or why it cannot be made. */
  async apply(request: ModelRequest): Promise<{ readonly request: ModelRequest } | { readonly failure: ModelFailure }> {
    if (this.#login === undefined) return { request };
    try {
      const apiKey = await this.#login.bearer(this.#signal);
      return { request: apiKey === undefined ? request : { ...request, apiKey } };
    } catch (error) {
      const { code, message, hint } = toAppError(error);
      const kind = code === "E_RATE_LIMIT" ? "credentials_exhausted" : "auth";
      return { failure: { class: kind, message, hint, retry: false, fallback: true } };
    }
  }

  /** A 401 renewed the login: the same request may go out again. */
  async renews(failure: ModelFailure): Promise<boolean> {
    if (this.#login === undefined || this.#renewed || failure.status !== 401) return false;
    this.#renewed = true;
    try {
      return await this.#login.refused(this.#signal);
    } catch {
      return false; // the refused answer says what stands in the way
    }
  }

  succeeded(): void {
    this.#login?.worked();
  }
}
