import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "curator restore",
  summary: "Bring an archived skill back.",
  topic: "curator",
  params: z.object({ name: z.string().describe("skill, as agent curator list-archived shows it") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ name }, ctx) => {
    const path = await (await ctx.skills.curator()).restore(name);
    const text = path === "" ? `The bundled skill ${name} is listed again.` : `Restored ${name} as skills/${path}.`;
    return { text, data: { name, path } };
  },
});
