import type { ShownRoute } from "../../contracts/gateway/webhooks.js";

/** What tools of the agent may not touch. */
export const WEBHOOKS = "webhooks";

/** One route in a list. */
export function routeLine({
  name,
  url,
  deliver,
  events,
  secret,
  enabled,
  source,
  deliver_only: only,
  description,
}: ShownRoute): string {
  const marks = [
    ...(enabled ? [] : ["off"]),
    only ? `sends to ${deliver} without a model` : `answers to ${deliver}`,
    ...(events.length === 0 ? [] : [`events ${events.join(", ")}`]),
    secret === "" ? "no secret: all requests are rejected" : `secret ${secret}`,
    ...(source === "config" ? ["config.yaml"] : []),
  ];
  return [`${name}  ${url}`, `  ${marks.join("; ")}`, ...(description === "" ? [] : [`  ${description}`])].join("\n");
}
