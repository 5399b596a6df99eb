import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "config path",
  summary: "Print the path of the settings file.",
  topic: "config",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => ({
    text: ctx.settings.path,
    data: { path: ctx.settings.path, env_path: ctx.settings.envPath },
  }),
});
