import { AppError } from "../../base/errors.js";
import { homeFrom } from "../../base/home.js";
import type { ProfileRecord } from "../../contracts/config/profiles.js";
import type { CommandContext } from "../define.js";

/** The profile that the caller uses. */
export const currentProfile = (ctx: CommandContext): string => homeFrom(ctx.env).profile;

/** The profile named, or the caller's. */
export const namedProfile = (ctx: CommandContext, given: string | undefined): string => given ?? currentProfile(ctx);

/** A worker is routed by profiles; it does not change them. @throws E_NOT_OWNER */
export function refuseWorker({ env }: CommandContext): void {
  if (!env["AGENT_WORKER_MARK"] && !env["AGENT_KANBAN_CLAIM"]) return;
  throw new AppError("E_NOT_OWNER", "programs inside a worker may not change profiles", {
    hint: "suggest the change in your summary",
  });
}

/** One line without control characters. */
export const plainLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ");

/** One profile in a list. */
export function profileLine(profile: ProfileRecord): string {
  const mark = profile.is_current ? "●" : " ";
  const about = profile.description === "" ? "(no description)" : plainLine(profile.description);
  return `${mark} ${profile.name.padEnd(24)}  ${(profile.model ?? "-").padEnd(24)}  ${about}`.trimEnd();
}

/** All about one profile. */
export function profileText(profile: ProfileRecord): string {
  const rows: readonly (readonly [string, string])[] = [
    ["path", profile.path],
    ["model", profile.model ?? "-"],
    ["provider", profile.provider ?? "-"],
    ["secrets", profile.has_env ? ".env" : "-"],
    ["skills", String(profile.skill_count)],
    ["owner", profile.owner_running ? "running" : "not running"],
    [
      "description",
      profile.description === ""
        ? "(no description)"
        : `${profile.description}${profile.description_auto ? " (generated)" : ""}`,
    ],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(12)}  ${plainLine(value)}`);
  return [`Profile ${profile.name}${profile.is_current ? " (current)" : ""}`, ...lines].join("\n");
}
