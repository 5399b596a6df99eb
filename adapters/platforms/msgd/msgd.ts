import { definePlatform } from "../../../lib/gateway/define.js";
import { createMsgd } from "./platform.js";

export default definePlatform({
  tag: "msgd",
  summary: "Bots of servers with channels and threads, over a websocket.",
  credentials: ["BOT_TOKEN"],
  create: createMsgd,
});
