import type { CredentialSource } from "../contracts/models/credentials.js";
import type { ProxyAdapter } from "../contracts/owner/proxy.js";
import { COMMON_PATHS } from "./paths.js";

/** The subscription of the portal that the user has logged in to. */
export function subscriptionAdapter(source: CredentialSource): ProxyAdapter {
  return {
    name: "subscription",
    aliases: ["nous"],
    displayName: "Subscription portal",
    loginHint: "agent auth add subscription",
    allowedPaths: COMMON_PATHS,
    isAuthenticated: () => source.isAuthenticated(),
    state: () => {
      const { expiresAt, error } = source.state();
      return { ...(expiresAt !== undefined && { expiresAt }), ...(error !== undefined && { error }) };
    },
    getCredential: (signal) => source.get(signal),
    // Its limits are the account's: another token of the same account meets the same 429.
    getRetryCredential: async (failed, status, headers, signal) =>
      status === 401 ? source.retry(failed, status, headers, signal) : undefined,
    succeeded: (used) => source.succeeded?.(used),
  };
}
