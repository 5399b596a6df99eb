import type { Clock } from "../../base/clock.js";
import type { Ids } from "../../base/ids.js";
import type { Net } from "../../base/net.js";
import type { Secret } from "../../base/secret.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { Addresses } from "../addresses.js";

/** What a login or a refresh brings. */
export interface Tokens {
  readonly access: Secret;
  /** Absent: the old one goes on. */
  readonly refresh?: Secret | undefined;
  readonly type?: string | undefined;
  readonly expiresAt?: EpochMs | undefined;
  readonly scope?: string | undefined;
  /** Address that the provider names for requests; not believed yet. */
  readonly inferenceUrl?: string | undefined;
  /** Whose account it is, for people. */
  readonly account?: string | undefined;
}

/** What the user has to do, to be shown at once. */
export interface LoginPrompt {
  readonly url: string;
  /** Typed at that address, where it does not carry it. */
  readonly code: string;
  readonly expiresAt: EpochMs;
}

export type LoginAnswer =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  /** `code`: a short word of the wire or of the product. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

export type RefreshAnswer =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  /** The login is over. */
  | { readonly kind: "terminal"; readonly code: string; readonly message: string }
  /** Nothing is known: the same may work later. */
  | { readonly kind: "later"; readonly message: string; readonly waitMs?: Ms | undefined };

export interface FlowPorts {
  readonly net: Net;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface LoginHooks {
  readonly told: (prompt: LoginPrompt) => Promise<void>;
  readonly signal: AbortSignal;
  /** Longest wait for the user; default: as long as the provider's code holds. */
  readonly timeoutMs?: Ms | undefined;
}

/** One way to log in, and what goes with it. */
export interface Flow {
  /** What the entries of it are marked with. */
  readonly source: string;
  /** Addresses and names without which it cannot begin. */
  readonly needs: readonly (keyof Addresses)[];
  /** @throws the signal's reason */
  login(ports: FlowPorts, addresses: Addresses, hooks: LoginHooks): Promise<LoginAnswer>;
  /** One request, never repeated here. */
  refresh(ports: FlowPorts, addresses: Addresses, token: Secret): Promise<RefreshAnswer>;
  /** Tell the provider that the login is over. False: it has no place for that, or did not take it. */
  revoke?(ports: FlowPorts, addresses: Addresses, token: Secret): Promise<boolean>;
}
