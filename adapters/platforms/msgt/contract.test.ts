import { holdsContract, LIMIT_SECONDS } from "../../../fixtures/platforms/contract.js";
import { rateLimit, refused } from "../../../fixtures/servers/msgt/server.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { msgtWorld } from "../../../fixtures/worlds/msgt-world.js";

const from = { id: 42, is_bot: false, first_name: "A" };

holdsContract("msgt", {
  keyed: false,
  open: async (t) => {
    const world = await msgtWorld(t);
    const { server, platform } = world;
    server.state.topics.set("-5/9", "topic");
    const fates: Readonly<Record<"refused" | "limited" | "cut", Fate>> = {
      refused: refused(403, "Forbidden: bot was blocked by the user"),
      limited: rateLimit(LIMIT_SECONDS),
      cut: { do: "drop", after: true },
    };
    let last: Record<string, unknown> = {};
    let ended = false;
    return {
      ...world,
      platform: {
        ...platform,
        disconnect: async () => {
          await platform.disconnect();
          ended = true;
        },
      },
      chat: "42",
      thread: { chatId: "-5", threadId: "9" },
      say: (text) => {
        const message = { message_id: 5, date: 0, chat: { id: 42, type: "private" }, text, from };
        last = { update_id: server.update({ message }), message };
      },
      again: () => server.again(last),
      shown: () => server.shown.filter(({ removed }) => !removed).map(({ text }) => text),
      sends: () => server.of("sendMessage").length,
      trouble: (what) => server.next("sendMessage", fates[what]),
      listens: () => !ended && server.of("getUpdates").length > 0,
    };
  },
});
