import * as z from "zod";
import { type CommandContext, defineCommand } from "../define.js";
import { allowedWords } from "../slash/surfaces.js";

export default defineCommand({
  path: "whoami",
  summary: "Show who you are here and which commands you may use.",
  topic: "gateway",
  params: z.object({}),
  surfaces: ["slash"],
  access: "read",
  run: async (_params, ctx) => {
    const { origin, member, home, session } = ctx;
    if (origin === undefined) {
      const user = ctx.env["USER"] ?? ctx.env["LOGNAME"] ?? "the local user";
      return {
        text: `${user}, at a terminal of profile ${home.profile}; all commands are allowed.`,
        data: { user, profile: home.profile },
      };
    }
    const { platform, chat_id, thread_id, user_id, user_name } = origin;
    const name = user_name === undefined ? "" : ` (${user_name})`;
    const lines = [
      `user: ${user_id ?? "unknown"}${name}`,
      `chat: ${platform} ${chat_id}${thread_id === undefined ? "" : `, thread ${thread_id}`}`,
      `profile: ${home.profile}`,
      ...(session === undefined ? [] : [`session: ${session}`]),
      `commands: ${rights(member)}`,
    ];
    return {
      text: lines.join("\n"),
      data: { ...origin, profile: home.profile, tier: member?.tier ?? null, session: session ?? null },
    };
  },
});

function rights(member: CommandContext["member"]): string {
  if (member?.tier === "admin") return "all (you are an admin)";
  if (member?.tier === "member") return allowedWords(member);
  const adminless = member !== undefined && (member.group || member.admins === true);
  return adminless ? "all except admin commands" : "all";
}
