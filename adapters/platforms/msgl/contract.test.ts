import { holdsContract, LIMIT_SECONDS } from "../../../fixtures/platforms/contract.js";
import { problem } from "../../../fixtures/servers/msgl/channel.js";
import { PERSON, startMsgl } from "../../../fixtures/servers/msgl/server.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { MSGL_SECRET, MSGL_TOKEN, msglWorld } from "../../../fixtures/worlds/msgl-world.js";

holdsContract("msgl", {
  keyed: true,
  open: async (t) => {
    const server = await startMsgl({ token: MSGL_TOKEN, secret: MSGL_SECRET });
    const world = await msglWorld(t, { server });
    const url = await world.listens();
    const fates: Readonly<Record<"refused" | "limited" | "cut", Fate>> = {
      refused: { do: "answer", ...problem(400, "Failed to send messages") },
      limited: {
        do: "answer",
        ...problem(429, "The API rate limit has been exceeded."),
        headers: { "retry-after": `${LIMIT_SECONDS}` },
      },
      cut: { do: "drop", after: true },
    };
    let last = {};
    return {
      ...world,
      chat: PERSON,
      say: (text) => {
        last = server.text(text);
        return server.deliver(last);
      },
      again: () => server.deliver(last),
      shown: () => server.shown.map(({ message }) => String(message["text"])),
      sends: () => server.of("push").length + server.of("reply").length,
      trouble: (what) => server.next("push", fates[what]),
      listens: async () => (await fetch(`${url}/msgl/webhook/health`).catch(() => undefined))?.status === 200,
    };
  },
});
