/** A conversation of the terminal goes on in a chat (gateway part, 13.6). */
import type { SessionId } from "../../base/units.js";
import type { TargetPlace } from "./targets.js";

/** What became of a request. `pending`: the chat has not answered yet; it still may. */
export interface HandedOver extends TargetPlace {
  readonly state: "completed" | "failed" | "pending";
  /** Name of the chat, where it has one. */
  readonly name: string;
  /** Why it failed. */
  readonly error: string | null;
}

export interface HandoffApi {
  /**
   * Let a conversation go on in the home channel of a platform, in a thread of its own where the platform makes one. Waits up to 60 s for the chat.
   *
   * @throws E_STATE where no gateway runs, the platform is not connected or the conversation is in memory only; E_INVALID without a home channel
   */
  handoff(session: SessionId, platform: string): Promise<HandedOver>;
}
