import type { Feed, FeedContext } from "../feeds/feed.js";
import { parseLogLine } from "./line.js";

/** The owner's log, from before and from now on. */
export const logsFeed = (context: FeedContext): Feed => ({
  start: () => context.run("the log could not be followed", () => follow(context)),
});

async function follow({ client, signal, send }: FeedContext): Promise<void> {
  const { lines } = await client.call<{ lines: readonly string[] }>("log.tail", {}, { signal, repeat: true });
  send({ type: "log", rows: lines.map(parseLogLine) });
  await client.topics(["logs"], (delta) => send({ type: "log", rows: [parseLogLine(String(delta.data["line"] ?? ""))] }));
}
