import { holdsContract, LIMIT_SECONDS } from "../../../fixtures/platforms/contract.js";
import { PERSON, refused } from "../../../fixtures/servers/msgx/server.js";
import { msgxWorld } from "../../../fixtures/worlds/msgx-world.js";

holdsContract("msgx", {
  keyed: false,
  open: async (t) => {
    const world = await msgxWorld(t);
    const { server } = world;
    const fates = {
      refused: refused(-1, "bad message"),
      limited: { do: "answer", status: 429, body: "slow down", headers: { "retry-after": `${LIMIT_SECONDS}` } },
      cut: { do: "drop", after: true },
    } as const;
    let last = "";
    return {
      ...world,
      chat: PERSON,
      say: (text) => {
        last = server.say({ item_list: [{ type: 1, text_item: { text } }] });
      },
      again: () => server.again(last),
      shown: () =>
        server.state.shown.flatMap(({ item: { text_item: item } }) =>
          typeof item === "object" && item !== null && "text" in item ? [String(item.text)] : [],
        ),
      sends: () => server.of("sendmessage").length,
      trouble: (what) => server.next("sendmessage", fates[what]),
      listens: () => server.of("getupdates").length > 0 && server.of("msg/notifystop").length === 0,
    };
  },
});
