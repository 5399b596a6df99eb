import { holdsContract, LIMIT_SECONDS } from "../../../fixtures/platforms/contract.js";
import { rateLimit, refused } from "../../../fixtures/servers/msgf/server.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { messageEvent, msgfWorld } from "../../../fixtures/worlds/msgf-world.js";

holdsContract("msgf", {
  keyed: true,
  open: async (t) => {
    const world = await msgfWorld(t);
    const { server } = world;
    const fates: Readonly<Record<"refused" | "limited" | "cut", Fate>> = {
      refused: refused(230_002, "Bot is NOT in the chat"),
      limited: rateLimit(LIMIT_SECONDS),
      cut: { do: "drop", after: true },
    };
    let last = messageEvent("om_0", "");
    let count = 0;
    return {
      ...world,
      chat: "oc_1",
      thread: { chatId: "oc_2", threadId: "omt_1" },
      say: (text) => {
        count += 1;
        last = messageEvent(`om_${count}`, text);
        server.push(last);
      },
      again: () => void server.push(last),
      shown: () => server.shown.filter(({ removed }) => !removed).map(({ content }) => wordsOf(content)),
      sends: () => server.of("send").length + server.of("reply").length,
      trouble: (what) => server.next("send", fates[what]),
      listens: () => server.open() > 0,
    };
  },
});

function wordsOf(content: unknown): string {
  return typeof content === "object" && content !== null && "text" in content
    ? String(content.text)
    : JSON.stringify(content);
}
