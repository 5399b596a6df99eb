import type { Ids } from "../../base/ids.js";
import type { Net } from "../../base/net/net.js";
import type { Secret } from "../../base/secret.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { Addresses } from "../core/addresses.js";

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
  /** Typed at that address, where it does not carry it; empty: without a code. */
  readonly code: string;
  readonly expiresAt: EpochMs;
}

export type LoginAnswer =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  /** `code`: a short word of the wire or of the product. */
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly message: string;
      /** Another attempt would end the same way. */
      readonly final?: true;
    };

/** A login that came to nothing. */
export type Refused = LoginAnswer & { readonly kind: "refused" };

export const refused = (code: string, message: string): Refused => ({ kind: "refused", code, message });

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

/** What a page of the callback says, and whether it brought what was waited for. */
export type TakeCallback = (query: URLSearchParams) => { readonly ok: boolean; readonly text: string };

/** Take requests of the user's browser at a port of this machine, or at any other when it is taken. */
export type ListenForCallback = (
  port: number,
  take: TakeCallback,
) => Promise<{ readonly url: string; close(): Promise<void> }>;

export interface LoginHooks {
  /** Asks the user for what the browser ends at, in place of a listener; only where the flow takes it. */
  readonly paste?: (() => Promise<string>) | undefined;
  readonly listen: ListenForCallback;
  readonly told: (prompt: LoginPrompt) => Promise<void>;
  readonly signal: AbortSignal;
  /** Longest wait for the user; default: as long as the provider's code holds. */
  readonly timeoutMs?: Ms | undefined;
}

/** One way to log in, and what goes with it. */
export interface Flow {
  /** The user may bring what the browser ends at. */
  readonly pastes?: true;
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
