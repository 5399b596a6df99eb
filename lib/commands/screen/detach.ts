import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "detach",
  summary: "Detach from the screen. Work continues; run agent in any terminal to return.",
  topic: "workspace",
  params: z.object({}),
  surfaces: ["slash"],
  access: "read",
  run: async () => ({
    text: "Work continues in the background; run agent to return.",
    data: null,
    next: { screen: { detach: true } },
  }),
});
