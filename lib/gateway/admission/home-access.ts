import type { Store } from "../../../storage/store.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { GatewayEvent, HookBus } from "../../contracts/hooks/hooks.js";
import { ACCESS } from "../settings/access-keys.js";
import { platformSettings, settingsSource } from "../settings/platform-settings.js";
import { type AdmissionResult, createAdmission, type Policy } from "./admission.js";
import type { Allowing } from "./allowlists.js";
import { createPairing } from "./pairing.js";

/** Who may talk, by the settings and the pairings of a home. Read again for every event. */
export interface GatewayAccess {
  readonly allowing: (event: Pick<Inbound, "platform">) => Allowing;
  readonly passes: (event: Inbound) => Promise<AdmissionResult>;
  /** What the operator should know: messages that were skipped because a hook failed. */
  readonly problems: () => readonly string[];
}

/** The settings that decide, without the pairings. */
export function allowingBy(options: Pick<AppOptions, "config">): GatewayAccess["allowing"] {
  const source = settingsSource(options);
  return ({ platform }) => ({ platform: platformSettings(platform, source), all: platformSettings("gateway", source) });
}

export function createGatewayAccess(store: Store, options: AppOptions): GatewayAccess {
  const { config, clock, ids, home } = options;
  const allowing = allowingBy(options);
  const failures = createHookFailures(clock);
  const passes = createAdmission({
    allowing,
    pairing: createPairing({ store, clock, ids }),
    behaviour: () => config.get(ACCESS.strangers),
    approve: (platform, code) => {
      const profile = home.profile === "default" ? "" : ` -p ${home.profile}`;
      return `agent${profile} pairing approve ${platform} ${code}`;
    },
    ...(options.hooks === undefined ? {} : { policy: policyOf(options.hooks, options, failures.note) }),
    log: options.log.child("gateway"),
  });
  return { allowing, passes, problems: failures.problems };
}

/** What hooks say of an event before it is known whether its sender is allowed. A hook that fails keeps it out, and the operator is notified. */
function policyOf(
  hooks: HookBus,
  { log }: Pick<AppOptions, "log">,
  failed: (why: string) => void,
): (event: Inbound) => Promise<Policy> {
  return async (event) => {
    if (!hooks.has("pre_gateway_dispatch")) return undefined;
    const decided = await hooks.preGatewayDispatch({ event: toGatewayEvent(event) });
    if (decided?.failed !== undefined) {
      failed(decided.failed);
      log.child("gateway").error("a message was skipped because a hook failed", {
        platform: event.platform,
        error: decided.failed,
      });
    }
    if (decided === undefined) return undefined;
    const { action, text = event.text } = decided;
    return action === "rewrite" ? { action, text } : { action };
  };
}

function toGatewayEvent({ platform, source, text, media }: Inbound): GatewayEvent {
  return {
    platform,
    chat: {
      id: source.chatId ?? "",
      type: source.chatType,
      name: source.chatName ?? null,
      thread_id: source.threadId ?? null,
    },
    sender: { id: source.userId, name: source.userName ?? null },
    text,
    attachments: media.map(({ kind, name = null, mime = null, size = null }) => ({ kind, name, mime, size })),
  };
}

/** A failure of a hook is shown for a day. */
const SHOWN_MS: Ms = 24 * 3_600_000;
const REASON_CHARS = 300;

/** Failures of hooks that kept messages out, by reason; the newest of each is shown. */
function createHookFailures(clock: Clock) {
  let last: { readonly why: string; readonly at: EpochMs; readonly count: number } | undefined;
  return {
    note: (why: string): void => {
      const reason = why.slice(0, REASON_CHARS);
      const again = last?.why === reason && clock.now() - last.at < SHOWN_MS;
      last = { why: reason, at: clock.now(), count: again ? (last?.count ?? 0) + 1 : 1 };
    },
    problems: (): readonly string[] =>
      last === undefined || clock.now() - last.at >= SHOWN_MS
        ? []
        : [
            `${last.count === 1 ? "a message was" : `${last.count} messages were`} skipped, last at ${new Date(last.at).toISOString()}: ${last.why} (agent hooks doctor)`,
          ],
  };
}
