import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions delete",
  summary: "Delete a session permanently, with its messages and files.",
  topic: "sessions",
  params: z.object({
    id: z.string().describe("id, unique prefix or title"),
    yes: z.boolean().default(false).describe("confirm the deletion, which cannot be undone"),
  }),
  positionals: ["id"],
  short: { yes: "y" },
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ id, yes }, ctx) => {
    const session = await ctx.chat.find(id);
    const name = `${session.id} (${session.title ?? "untitled"}, ${session.message_count} messages)`;
    if (!yes) {
      const hint = `agent sessions delete ${session.id} -y deletes it`;
      throw new AppError("E_USAGE", `deleting ${name} cannot be undone; confirm with -y`, {
        session: session.id,
        hint,
      });
    }
    const deleted = await ctx.chat.delete(session.id);
    return {
      text: `Deleted ${name}.`,
      data: { deleted: session.id, lineage_root: session.lineage_root, ...deleted },
      warnings: deleted.backups.map((path) => `an earlier backup may still contain its text: ${path}`),
    };
  },
});
