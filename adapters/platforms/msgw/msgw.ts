import { definePlatform } from "../../../lib/gateway/define.js";
import { createMsgw } from "./platform.js";

export default definePlatform({
  tag: "msgw",
  summary: "A bot of a team chat, by activities that are posted to a listener.",
  credentials: ["CLIENT_ID", "CLIENT_SECRET", "TENANT_ID"],
  switches: ["DEV_UNAUTHENTICATED"],
  setup: [
    { variable: "CLIENT_ID", ask: "Id of the app registration" },
    { variable: "CLIENT_SECRET", ask: "Secret of the app registration", secret: true },
    { variable: "TENANT_ID", ask: "Id of the directory" },
    { variable: "ALLOWED_USERS", ask: "Who may talk, as object ids of the directory with commas", optional: true },
  ],
  create: createMsgw,
});
