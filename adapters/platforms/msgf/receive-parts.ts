import type { Log } from "../../../lib/base/log/log.js";
import type { Inlet } from "../../../lib/contracts/board/platform-tag.js";
import type { Chats } from "./chats.js";
import type { Identity } from "./identity.js";
import type { Places } from "./places.js";
import type { MsgfSettings } from "./settings.js";

/** What events are read and taken with. */
export interface ReceiveParts {
  readonly settings: MsgfSettings;
  readonly identity: Identity;
  readonly chats: Chats;
  readonly places: Places;
  readonly inlet: Inlet;
  readonly log: Log;
  /** Messages from before are the backlog of the account. */
  readonly connectedAt: number;
}
