import type { Log } from "../../../lib/base/log/log.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Api } from "./api.js";
import type { Channels } from "./channels.js";
import type { MsgdSettings } from "./settings.js";
import type { Threads } from "./threads.js";

/** What reading events needs. */
export interface ReceiveParts {
  readonly api: Api;
  readonly settings: MsgdSettings;
  readonly channels: Channels;
  readonly threads: Threads;
  readonly clock: Clock;
  readonly log: Log;
  readonly me: string;
  readonly signal: AbortSignal;
}
