/** What was said to people outside of a turn, in the conversation that they answer in. */
import type { SessionId } from "../../base/units.js";

/** The verb about it; a part of the chat. */
export interface MirrorApi {
  /**
   * Add a text that a chat was sent to its conversation, as the assistant's. Waits while a turn runs.
   *
   * @param about why it was sent, for the model
   * @throws E_NOT_FOUND, E_STATE when turns run one after the other
   */
  mirror(id: SessionId, text: string, about: string): Promise<void>;
}
