import { definePlatform } from "../../../lib/gateway/define.js";
import { createMsgt } from "./platform.js";

export default definePlatform({
  tag: "msgt",
  summary: "Bots of the Bot API, by long polls.",
  credentials: ["BOT_TOKEN"],
  create: createMsgt,
});
