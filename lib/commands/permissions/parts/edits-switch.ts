import type { CommandContext, CommandResult } from "../../define.js";
import { findPermissionPlace } from "./rule-place.js";

/** Show or set `approvals.mode` or `approvals.edits`: for the conversation, and without one in the settings. */
export async function switchFor(
  name: "mode" | "edits",
  value: string | undefined,
  ctx: CommandContext,
): Promise<CommandResult> {
  const place = await findPermissionPlace(ctx);
  if (value !== undefined && place.session !== undefined)
    await ctx.chat.permissionSwitches(place.session, { [name]: value });
  else if (value !== undefined) await ctx.settings.set(`approvals.${name}`, value, { asText: true, force: false });
  const list = await ctx.chat.permissions(place);
  const scope = place.session === undefined ? "everywhere" : "in this conversation";
  return { text: `${name} ${list[name]}${value === undefined ? "" : ` ${scope}`}`, data: { [name]: list[name] } };
}
