import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "detach",
  summary: "Leave the screen; what runs goes on, and agent in any terminal shows it again.",
  topic: "workspace",
  params: z.object({}),
  surfaces: ["slash"],
  access: "read",
  run: async () => ({
    text: "What runs goes on; agent shows it again.",
    data: null,
    next: { screen: { detach: true } },
  }),
});
