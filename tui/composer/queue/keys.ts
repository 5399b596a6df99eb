import type { Binding, State, Updated } from "../../model/state.js";
import {
  editItem,
  focusQueue,
  leftQueue,
  moveItem,
  removeItem,
  restoreItem,
  sendItem,
  steerItem,
  stepQueue,
} from "./items.js";

const key = (id: string, keys: readonly string[], hint: string, act: (state: State) => Updated): Binding => ({
  id,
  context: "queue",
  keys,
  label: hint.slice(hint.indexOf(" ") + 1),
  hint,
  act,
});

/** Keys of the queue while it has the focus (workspace part, 4.4). */
export const QUEUE_KEYS: readonly Binding[] = [
  {
    id: "queue",
    context: "everywhere",
    keys: ["alt+q"],
    label: "queue",
    hint: "Alt+Q queue",
    when: hasQueue,
    act: focusQueue,
  },
  key("queue.edit", ["e", "enter"], "e edit", editItem),
  key("queue.up", ["K", "shift+up", "alt+up"], "K earlier", (state) => moveItem(state, -1)),
  key("queue.down", ["J", "shift+down", "alt+down"], "J later", (state) => moveItem(state, 1)),
  key("queue.steer", ["s"], "s steer", steerItem),
  key("queue.send", ["n"], "n send now", sendItem),
  key("queue.remove", ["x", "delete"], "x remove", removeItem),
  key("queue.restore", ["U"], "U restore", restoreItem),
  key("queue.leave", ["escape", "i"], "Esc type", (state) => [leftQueue(state), []]),
  ...(
    [
      ["queue.previous", ["up", "k"], -1],
      ["queue.next", ["down", "j"], 1],
    ] as const
  ).map(
    ([id, keys, by]): Binding => ({
      id,
      context: "queue",
      keys,
      label: by < 0 ? "up" : "down",
      act: (state) => [stepQueue(state, by), []],
    }),
  ),
];

function hasQueue({ queue }: State): boolean {
  return queue.waiting.length + queue.local.length > 0 || queue.removed !== undefined;
}
