import { definePlatform } from "../../../lib/gateway/define.js";
import { loadLibrary } from "./library.js";
import { createMsgf } from "./platform.js";

export default definePlatform({
  tag: "msgf",
  summary: "Bots of a workplace messenger, by its long connection or by webhook.",
  credentials: ["APP_ID", "APP_SECRET"],
  setup: [
    { variable: "APP_ID", ask: "App id", hint: "begins with cli_; it stands with the credentials of the app" },
    { variable: "APP_SECRET", ask: "App secret", secret: true },
    { variable: "DOMAIN", ask: "Domain (feishu, lark or an address)", optional: true },
  ],
  create: (ports) => createMsgf(ports, loadLibrary),
});
