import * as z from "zod";
import { defineCommand } from "../define.js";
import { listCredentials } from "./login-list.js";

export default defineCommand({
  path: "auth list",
  summary: "Show logins and keys, how each stands, and which one is used.",
  topic: "auth",
  params: z.object({ provider: z.string().optional().describe("only this provider") }),
  positionals: ["provider"],
  surfaces: ["cli", "rpc"],
  access: "read",
  run: ({ provider }, ctx) => listCredentials(ctx.auth, provider),
});
