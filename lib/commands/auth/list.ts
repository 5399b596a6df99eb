import * as z from "zod";
import { defineCommand } from "../define.js";
import { listCredentials } from "./login-list.js";

export default defineCommand({
  path: "auth list",
  summary: "Show logins and keys, their state, and which one is in use.",
  topic: "auth",
  params: z.object({ provider: z.string().optional().describe("show this provider only") }),
  positionals: ["provider"],
  surfaces: ["cli", "rpc"],
  access: "read",
  run: ({ provider }, ctx) => listCredentials(ctx.auth, provider),
});
