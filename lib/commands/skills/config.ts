import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { SKILLS_DISABLED } from "../../contracts/skills/keys.js";
import { defineCommand } from "../define.js";
import { columns } from "./hub-text.js";

export default defineCommand({
  path: "skills config",
  summary: "Show the settings of skills, or switch one skill on or off.",
  topic: "skills",
  params: z.object({
    name: z.string().optional().describe("a skill"),
    state: z.enum(["on", "off"]).optional().describe("on or off"),
  }),
  positionals: ["name", "state"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async ({ name, state }, ctx) => {
    const disabled = ctx.config.get(SKILLS_DISABLED);
    if (name === undefined) {
      const rows = ctx.settings.list().filter(({ key }) => key.startsWith("skills."));
      return {
        text: columns(rows.map(({ key, value, source }) => [key, JSON.stringify(value), source])),
        data: Object.fromEntries(rows.map(({ key, value }) => [key, value])),
      };
    }
    if (state === undefined) throw new AppError("E_USAGE", `on or off is missing: agent skills config ${name} off`);
    // A skill that is off is not in the catalog: its name is known from the setting alone.
    if (!disabled.includes(name)) await ctx.skills.catalog.find(name, { cwd: ctx.cwd, env: ctx.env });
    const others = disabled.filter((one) => one !== name);
    await ctx.settings.change({ [SKILLS_DISABLED.key]: state === "off" ? [...others, name] : others });
    return { text: `${name} is ${state}.`, data: { name, enabled: state === "on" } };
  },
});
