import type { Log } from "../../../lib/base/log/log.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import { normaliseUpdate } from "./normalise.js";
import type { Observed } from "./observed.js";
import type { MsgtSettings } from "./settings.js";
import { type Me, type Update, UpdateShape } from "./wire.js";

export interface UpdateParts {
  readonly settings: MsgtSettings;
  readonly me: Me;
  readonly log: Log;
  /** Messages from before are the backlog of the account. */
  readonly connectedAt: number;
  /** Undefined: what others say in groups is left out. */
  readonly observed: Observed | undefined;
}

/** The platform counts seconds: what was sent in the second of the connect is not called older. */
const SECOND_MS: Ms = 1000;

/** The event of an update; undefined: it is not for us. One of a shape that is not known can never be taken: it is noted and left. */
export function readUpdate(parts: UpdateParts, update: unknown): Inbound | undefined {
  const read = UpdateShape.safeParse(update);
  if (!read.success) {
    parts.log.warning("an update of the platform cannot be read", {
      tag: "msgt",
      why: read.error.issues[0]?.path.join(".") ?? "",
    });
    return undefined;
  }
  const event = withContext(read.data, normaliseUpdate(read.data, parts), parts);
  if (event === undefined || event.sentAt === null) return event;
  return event.sentAt + SECOND_MS <= parts.connectedAt ? { ...event, backlog: true } : event;
}

function withContext(
  update: Update,
  event: Inbound | undefined,
  { observed, settings, me }: UpdateParts,
): Inbound | undefined {
  if (observed === undefined) return event;
  const context = observed.see(update, event, { me, rules: settings.groups });
  return event === undefined || context === undefined ? event : { ...event, context };
}
