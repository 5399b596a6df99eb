import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions delete",
  summary: "Delete a session for good, with its messages and files.",
  topic: "sessions",
  params: z.object({
    id: z.string().describe("id, unique beginning of one, or title"),
    yes: z.boolean().default(false).describe("delete without asking; needed, since nothing brings it back"),
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
      throw new AppError("E_USAGE", `deleting ${name} cannot be undone; confirm it with -y`, {
        session: session.id,
        hint,
      });
    }
    const deleted = await ctx.chat.delete(session.id);
    return {
      text: `Deleted ${name}.`,
      data: { deleted: session.id, lineage_root: session.lineage_root, ...deleted },
      warnings: deleted.backups.map((path) => `this earlier copy may still hold its texts: ${path}`),
    };
  },
});
