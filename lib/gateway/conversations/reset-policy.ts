import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { systemZone, zoneNamed } from "../../base/time/zone.js";
import type { EpochMs } from "../../base/units.js";
import { RESET_MODES, type ResetMode } from "../settings/access-keys.js";

/** When a chat starts over by itself (gateway part, 7.3). */
export interface ResetPolicy {
  readonly mode: ResetMode;
  /** Hour of the day at which a day begins. */
  readonly at_hour: number;
  readonly idle_minutes: number;
  readonly notify: boolean;
  readonly notify_exclude_platforms: readonly string[];
}

const Part = z.strictObject({
  mode: z.enum(RESET_MODES).optional(),
  at_hour: z.number().int().min(0).max(23).optional(),
  idle_minutes: z.number().positive().optional(),
  notify: z.boolean().optional(),
  notify_exclude_platforms: z.array(z.string()).optional(),
});

export interface ResetSettings {
  readonly general: ResetPolicy;
  /** Maps from config.yaml, as they are. */
  readonly byPlatform: unknown;
  readonly byType: unknown;
}

/** The policy of a chat: that of its platform, else of its type, else the general one. What a policy leaves out is as in the general one. @throws E_CONFIG */
export function policyOf(
  { general, byPlatform, byType }: ResetSettings,
  chat: { readonly platform: string; readonly chatType: string },
): ResetPolicy {
  const own = partOf(byPlatform, "reset_by_platform", chat.platform) ?? partOf(byType, "reset_by_type", chat.chatType);
  const given = Object.fromEntries(Object.entries(own ?? {}).filter(([, value]) => value !== undefined));
  return { ...general, ...given };
}

function partOf(map: unknown, key: string, name: string): z.output<typeof Part> | undefined {
  if (map === undefined || map === null) return undefined;
  const value: unknown = typeof map === "object" ? Reflect.get(map, name) : map;
  if (value === undefined || value === null) return undefined;
  const read = Part.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const at = [key, name, ...(issue?.path ?? [])].join(".");
  throw new AppError("E_CONFIG", `${at}: ${issue?.message ?? "it cannot be read"}`, {
    key: at,
    hint: "it must have the form of session_reset",
  });
}

export type ResetReason = "daily" | "idle";

/** Why a conversation that was used last at `usedAt` is not gone on with; undefined: it is. `timezone` "": that of the system. */
export function resetDue(
  policy: ResetPolicy,
  usedAt: EpochMs,
  now: EpochMs,
  timezone: string,
): ResetReason | undefined {
  const { mode, at_hour, idle_minutes } = policy;
  if ((mode === "idle" || mode === "both") && now - usedAt >= idle_minutes * 60_000) return "idle";
  if ((mode === "daily" || mode === "both") && usedAt < dayBegan(now, at_hour, timezone)) return "daily";
  return undefined;
}

const HOUR_MS = 3_600_000;

/** When the day began that `now` is in, for a day that begins at an hour of its own. */
function dayBegan(now: EpochMs, hour: number, timezone: string): EpochMs {
  const zone = zoneNamed(timezone === "" ? systemZone() : timezone);
  const wall = zone.wallOf(now);
  const midnight = Math.floor(wall / (24 * HOUR_MS)) * 24 * HOUR_MS;
  const began = midnight + hour * HOUR_MS;
  return zone.instantOf(began <= wall ? began : began - 24 * HOUR_MS);
}

/** The line that tells a reset. */
export function resetNotice(reason: string | null): string {
  const why =
    reason === "idle"
      ? "after a period of inactivity"
      : reason === "daily"
        ? "for the day"
        : "because it was interrupted";
  return `↻ A new conversation starts ${why}; /resume continues an earlier one.`;
}
