import * as z from "zod";
import { defineCommand } from "../define.js";
import { changeSets, SET_PARAMS } from "./change.js";

export default defineCommand({
  path: "tools disable",
  summary: "Disable toolsets for all sessions.",
  topic: "tools",
  params: z.object(SET_PARAMS),
  positionals: ["names..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  busy: "idle",
  run: async (params, ctx) => changeSets(params, false, ctx),
});
