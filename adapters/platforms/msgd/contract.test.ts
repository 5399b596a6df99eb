import { holdsContract, LIMIT_SECONDS } from "../../../fixtures/platforms/contract.js";
import { CHANNEL, DIRECT, GUILD, rateLimit, refused } from "../../../fixtures/servers/msgd/server.js";
import { msgdWorld } from "../../../fixtures/worlds/msgd-world.js";

const THREAD = "300000000000000001";

holdsContract("msgd", {
  keyed: true,
  open: async (t) => {
    const world = await msgdWorld(t);
    const { server } = world;
    server.channel({ id: THREAD, type: 11, name: "topic", guild_id: GUILD, parent_id: CHANNEL });
    const fates = {
      refused: refused(403, 50007, "Cannot send messages to this user"),
      limited: rateLimit(LIMIT_SECONDS),
      cut: { do: "drop", after: true },
    } as const;
    return {
      ...world,
      chat: DIRECT,
      thread: { chatId: CHANNEL, threadId: THREAD },
      say: (content) => void server.say({ content }),
      again: () => server.sockets.again(1),
      shown: () => server.shown().map(({ content }) => content),
      sends: () => server.of("send").length,
      trouble: (what) => server.next("send", fates[what]),
      listens: () => server.sockets.live() > 0,
    };
  },
});
