import { cageNotice } from "../../lib/contracts/config/cage.js";
import type { ScreenStart } from "../../lib/contracts/ui/screen-start.js";
import { age } from "../draw/ages.js";
import { modelName } from "../model/session.js";
import type { State } from "../model/state.js";

const HELLO = "New session. Type a message, / for commands, F1 for keys.";

/** Which model will answer, and how another one does. */
const answering = ({ provider, model }: ScreenStart["serving"]): readonly string[] =>
  model === "" ? [] : [`${modelName(provider, model)} answers. To choose another model, type /model.`];

/** What an empty conversation says: who answers unless that is configured, and what was done here last. */
export function startLines({ start }: State): readonly string[] {
  if (start === undefined) return [HELLO];
  const { offer, serving, cage } = start;
  const last =
    offer === null
      ? []
      : [
          "",
          `Last session here: “${offer.title}”, ${offer.messages} ${offer.messages === 1 ? "message" : "messages"}, ${age(Math.max(0, start.toldAt - offer.last_active_at))} ago. Press Ctrl+O or run agent -c to continue.`,
        ];
  const uncaged = cage === undefined || cage.state === "on" ? [] : ["", cageNotice(cage)];
  if (serving.how === "configured") return [HELLO, ...answering(serving), ...uncaged, ...last];
  const served =
    serving.how === "found"
      ? [
          `Using ${serving.model} from a model server found on this machine.`,
          "It is used until you set up another model; nothing leaves this machine.",
        ]
      : [
          "Using the offline assistant: no model is set up and no local server was found.",
          "It follows fixed rules, needs no network, and has no knowledge of its own.",
        ];
  return [
    HELLO,
    "",
    ...served,
    "To add a model, type /setup, or quit and run agent setup.",
    "Try: list files · read README.md · run git status",
    ...uncaged,
    ...last,
  ];
}
