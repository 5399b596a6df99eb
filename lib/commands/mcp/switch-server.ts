import type { CommandContext, CommandResult } from "../define.js";
import { withOutdated } from "./outdated.js";
import { requireEntry } from "./text.js";

/** Write `enabled` of an entry; the running owner follows at once. @throws E_NOT_FOUND */
export async function switchServer(name: string, enabled: boolean, ctx: CommandContext): Promise<CommandResult> {
  const key = requireEntry(name, ctx);
  await ctx.settings.set(`${key}.enabled`, String(enabled), { asText: false, force: false });
  await ctx.mcp.reload();
  const text = `${name} ${enabled ? "enabled" : "disabled"}`;
  return withOutdated({ text, data: { ok: true, name, enabled } }, ctx);
}
