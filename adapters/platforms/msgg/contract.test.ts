import { holdsContract, LIMIT_SECONDS } from "../../../fixtures/platforms/contract.js";
import { refusal } from "../../../fixtures/servers/msgg/chat.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { msggWorld } from "../../../fixtures/worlds/msgg-world.js";

holdsContract("msgg", {
  keyed: true,
  open: async (t) => {
    const world = await msggWorld(t);
    const { server } = world;
    const fates: Readonly<Record<"refused" | "limited" | "cut", Fate>> = {
      refused: { do: "answer", ...refusal(403, "PERMISSION_DENIED", "The caller is not a member of the space.") },
      limited: {
        do: "answer",
        ...refusal(429, "RESOURCE_EXHAUSTED", "quota"),
        headers: { "retry-after": `${LIMIT_SECONDS}` },
      },
      cut: { do: "drop", after: true },
    };
    let last = {};
    let count = 0;
    return {
      ...world,
      chat: "spaces/A",
      thread: { chatId: "spaces/G", threadId: "spaces/G/threads/t" },
      say: (text) => {
        count += 1;
        last = {
          type: "MESSAGE",
          message: {
            name: `spaces/A/messages/m${count}`,
            sender: { name: "users/1", email: "u@x.org", type: "HUMAN" },
            text,
          },
          space: { name: "spaces/A", spaceType: "DIRECT_MESSAGE" },
        };
        server.pubsub.publish(last);
      },
      again: () => void server.pubsub.publish(last),
      shown: () => server.state.shown.filter(({ removed }) => !removed).map(({ text }) => text),
      sends: () => server.of("create").length,
      trouble: (what) => server.next("create", fates[what]),
      listens: () => server.pubsub.streams() > 0,
    };
  },
});
