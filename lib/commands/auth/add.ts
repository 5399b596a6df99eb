import * as z from "zod";
import { defineCommand } from "../define.js";
import { add } from "./add-login.js";

export default defineCommand({
  path: "auth add",
  aliases: ["login"],
  summary: "Log in to a provider of models, or store an API key for it.",
  topic: "auth",
  params: z.object({
    provider: z.string().describe("provider: agent auth list names those in use, agent help auth all that are known"),
    type: z.enum(["oauth", "api-key"]).optional().describe("a login, or a key; without it what the provider has"),
    label: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("name of the credential; else the account, or its type with a number"),
    priority: z.number().int().min(0).max(1_000_000).optional().describe("0 is taken first"),
    this_profile: z.boolean().default(false).describe("only this profile may use it"),
    api_key: z.string().optional().describe("the key; without it it is asked for, or read from standard input"),
    region: z.string().optional().describe("global or cn, where the provider has regions"),
    portal_url: z.string().optional().describe("address of the portal where the login is made"),
    issuer: z.string().optional().describe("address of the issuer of the login"),
    inference_url: z.string().optional().describe("address that requests go to"),
    client_id: z.string().optional().describe("OAuth client id"),
    scope: z.string().optional().describe("OAuth scope"),
    no_browser: z.boolean().default(false).describe("only print the address of the page, and open nothing"),
    manual_paste: z
      .boolean()
      .default(false)
      .describe("the browser is on another machine: paste the address that it ends at"),
    timeout: z
      .number()
      .min(1)
      .max(86_400)
      .optional()
      .describe("seconds to wait for you, else as long as the code holds; search-vendor waits nine times as long"),
    ca_bundle: z
      .string()
      .min(1)
      .optional()
      .describe("file with certificates (PEM) of an authority that the portal's certificate comes from"),
    insecure: z.boolean().default(false).describe("do not verify the certificate of a portal on this machine"),
  }),
  positionals: ["provider"],
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  stdin: true,
  run: (params, ctx) => add(params, ctx),
});
