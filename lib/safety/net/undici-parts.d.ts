/** The parts of undici that are used: all of it costs three times the time and memory, most of it for `fetch` and web sockets. */
declare module "undici/lib/dispatcher/agent.js" {
  import { Agent } from "undici";

  export default Agent;
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";

  export default buildConnector;
}
