import type { SendTarget } from "../../contracts/gateway/outbox.js";

/** Where what is said about a delivery goes; `log`: nowhere but the log and the transcript. */
export type Delivering =
  | { readonly to: "log" }
  | { readonly to: "target"; readonly target: SendTarget; readonly name: string }
  | { readonly to: "comment"; readonly repo: string; readonly number: string; readonly target: SendTarget };

/** The name of the one account of webhooks. */
export const WEBHOOK_ACCOUNT = "webhook";
