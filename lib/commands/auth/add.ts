import * as z from "zod";
import { defineCommand } from "../define.js";
import { add } from "./add-login.js";

export default defineCommand({
  path: "auth add",
  aliases: ["login"],
  summary: "Log in to a model provider, or store an API key for it.",
  topic: "auth",
  params: z.object({
    provider: z.string().describe("provider id (agent auth list shows those in use, agent help auth all of them)"),
    type: z.enum(["oauth", "api-key"]).optional().describe("oauth or api-key (default: what the provider supports)"),
    label: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("name of the credential (default: the account, or its type and a number)"),
    priority: z.number().int().min(0).max(1_000_000).optional().describe("order of use, lowest first"),
    this_profile: z.boolean().default(false).describe("restrict the credential to this profile"),
    api_key: z.string().optional().describe("the key (default: prompt, or read standard input)"),
    region: z.string().optional().describe("global or cn, for providers with regions"),
    portal_url: z.string().optional().describe("URL of the login portal"),
    issuer: z.string().optional().describe("URL of the token issuer"),
    inference_url: z.string().optional().describe("base URL of requests"),
    client_id: z.string().optional().describe("OAuth client id"),
    scope: z.string().optional().describe("OAuth scope"),
    no_browser: z.boolean().default(false).describe("print the login URL instead of opening a browser"),
    manual_paste: z.boolean().default(false).describe("the browser is on another machine: paste the final URL or code"),
    timeout: z
      .number()
      .min(1)
      .max(86_400)
      .optional()
      .describe("seconds to wait for the login (default: lifetime of the code; nine times as long for search-vendor)"),
    ca_bundle: z.string().min(1).optional().describe("PEM file with the certificate authority of the portal"),
    insecure: z.boolean().default(false).describe("do not verify the certificate of a portal on this machine"),
  }),
  positionals: ["provider"],
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  stdin: true,
  run: (params, ctx) => add(params, ctx),
});
