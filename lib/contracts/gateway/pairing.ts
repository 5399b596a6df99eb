/** People who may talk to the agent because its owner approved a code that they were given (gateway part, 8.4). */
import type { PlatformTag } from "../board/platform-tag.js";

/** A user who may talk. Instants are ISO 8601. */
export interface Paired {
  readonly platform: string;
  readonly user: string;
  readonly name: string | null;
  readonly approved_at: string;
}

/** A user who holds a code. The code itself is not kept. */
export interface PairingRequest {
  readonly platform: string;
  readonly user: string;
  readonly name: string | null;
  readonly asked_at: string;
  readonly expires_at: string;
}

export interface PairingList {
  readonly paired: readonly Paired[];
  readonly pending: readonly PairingRequest[];
  /** Platforms on which nothing is approved for now, after too many wrong codes. */
  readonly locked: readonly { readonly platform: string; readonly until: string }[];
}

/** What the owner of the bot may do. The agent's tools reach none of it. */
export interface PairingApi {
  pairings(): Promise<PairingList>;
  /** @throws E_NOT_FOUND for a wrong code, E_STATE while approvals of the platform are locked */
  approvePairing(platform: PlatformTag, code: string): Promise<Paired>;
  /** From the next event on the user is a stranger. @throws E_NOT_FOUND when the user is not paired */
  revokePairing(platform: PlatformTag, user: string): Promise<Paired>;
  /** Forget all codes. @returns how many there were */
  clearPending(): Promise<number>;
}
