import type { LivePort } from "../dashboard/events/ports.js";
import type { App } from "./app.js";

/** What live services of the dashboard get of this owner. */
export const livePort = ({ bus, attach }: Pick<App, "bus" | "attach">): LivePort => ({
  lastSeq: bus.lastSeq,
  follow: bus.follow,
  onOpened: (listener) =>
    bus.onDelta("boards", ({ event, data }) =>
      event === "board.opened" ? listener(String(data["store"])) : undefined,
    ),
  attach,
});
