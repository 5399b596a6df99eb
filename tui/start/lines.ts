import { cageNotice } from "../../lib/proto/cage.js";
import { age } from "../ages.js";
import type { State } from "../state.js";

const HELLO = "New session. Type a message, / for commands, F1 for keys.";

/** What an empty conversation says: who answers where nobody has set that up, and what was done here last. */
export function startLines({ start }: State): readonly string[] {
  if (start === undefined) return [HELLO];
  const { offer, serving, cage } = start;
  const last =
    offer === null
      ? []
      : [
          "",
          `Last here: “${offer.title}”, ${offer.messages} ${offer.messages === 1 ? "message" : "messages"}, ${age(Math.max(0, start.toldAt - offer.last_active_at))} ago. Ctrl+O or agent -c goes on with it.`,
        ];
  const uncaged = cage === undefined || cage.state === "on" ? [] : ["", cageNotice(cage)];
  if (serving.how === "configured") return [HELLO, ...uncaged, ...last];
  const served =
    serving.how === "found"
      ? [
          `${serving.model} answers: a model server that was found on this machine.`,
          "It serves until another one is set up; nothing leaves this machine.",
        ]
      : [
          "offline answers: no model is set up, and no server was found on this machine.",
          "It is a stand-in: it follows rules, needs no network and knows nothing.",
        ];
  return [
    HELLO,
    "",
    ...served,
    "Set a model up with /model, or leave and run agent setup.",
    "Try: list files · read README.md · run git status",
    ...uncaged,
    ...last,
  ];
}
