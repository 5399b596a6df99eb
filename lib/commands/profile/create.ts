import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { currentProfile, refuseWorker } from "./current.js";

export default defineCommand({
  path: "profile create",
  summary: "Create a profile with its own home.",
  topic: "profiles",
  params: z.object({
    name: z.string().describe("lower-case letters, digits, - and _"),
    description: z.string().optional().describe("description, used to route tasks"),
    clone: z.boolean().default(false).describe("copy settings, secrets, character and memories of the current profile"),
    clone_from: z.string().optional().describe("copy them from this profile"),
  }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  where: "root",
  run: async ({ name, description, clone, clone_from }, ctx) => {
    if (clone && clone_from !== undefined) throw new AppError("E_USAGE", "--clone and --clone-from exclude each other");
    refuseWorker(ctx);
    const current = currentProfile(ctx);
    const cloneFrom = clone_from ?? (clone ? current : undefined);
    const profile = await ctx.profiles.create({ name, description, cloneFrom }, current);
    const modelless = profile.model === null && profile.provider === null;
    const hints = modelless
      ? [`no model configured: agent -p ${profile.name} setup sets one, --clone copies the current one`]
      : [];
    return { text: `Profile '${profile.name}' created at ${profile.path}`, data: profile, warnings: hints };
  },
});
