import { holdsContract, LIMIT_SECONDS } from "../../../fixtures/platforms/contract.js";
import { refusal } from "../../../fixtures/servers/msgw/server.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { msgwWorld } from "../../../fixtures/worlds/msgw-world.js";

const activity = (serviceUrl: string, id: string, text: string) => ({
  type: "message",
  id,
  timestamp: "2026-06-01T00:00:00Z",
  serviceUrl,
  channelId: "msteams",
  text,
  textFormat: "plain",
  from: { id: "29:x", name: "A" },
  recipient: { id: "28:bot", name: "Bot" },
  conversation: { id: "19:dm", conversationType: "personal", tenantId: "t" },
});

holdsContract("msgw", {
  keyed: false,
  open: async (t) => {
    const world = await msgwWorld(t);
    const { server } = world;
    const { listen } = await world.reaches("connected");
    const fates: Readonly<Record<"refused" | "limited" | "cut", Fate>> = {
      refused: {
        do: "answer",
        ...refusal(403, "BotNotInConversationRoster", "The bot is not part of the conversation roster."),
      },
      limited: {
        do: "answer",
        ...refusal(429, "TooManyRequests", "slow down"),
        headers: { "retry-after": `${LIMIT_SECONDS}` },
      },
      cut: { do: "drop", after: true },
    };
    let last = activity(server.url, "a0", "");
    let count = 0;
    const deliver = async () => server.deliver(listen ?? "", last);
    return {
      ...world,
      chat: "19:dm",
      thread: { chatId: "19:c@thread.tacv2", threadId: "178" },
      say: (text) => {
        count += 1;
        last = activity(server.url, `a${count}`, text);
        return deliver();
      },
      again: deliver,
      shown: () => server.shown.filter(({ removed }) => !removed).map((one) => String(one.activity["text"])),
      sends: () => server.of("create").length,
      trouble: (what) => server.next("create", fates[what]),
      listens: async () => (await fetch(`http://${listen}/health`).catch(() => undefined))?.status === 200,
    };
  },
});
