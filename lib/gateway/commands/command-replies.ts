import type { Clock } from "../../base/time/clock.js";
import { CONFIRM_RESET } from "../../commands/command-keys.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { memberOf } from "../admission/member-tier.js";
import { type CommandReply, commandIn } from "../router/command-text.js";
import type { RouterDeps } from "../router/router.js";
import { sendsOf } from "../text/answer-sends.js";
import { layColumns } from "../text/tables.js";
import { type CommandDeps, chatCommand, namer, refusals } from "./chat-command.js";
import { type CommandSteps, commandWithSteps } from "./command-steps.js";
import { createConfirmations } from "./confirm-command.js";
import { withAliases } from "./quick-commands.js";

export interface AskedDeps extends CommandDeps {
  readonly clock: Clock;
  /** What other parts do before and after a command that may be run and is meant. */
  readonly steps: Omit<CommandSteps, "run">;
}

/** Commands of chats for the router: who may run them is asked first, then whether they are meant. */
export function createAsked(deps: AskedDeps): Required<Pick<RouterDeps, "command" | "press" | "nameOf">> {
  const { chat, conversations, options, allowing, clock, services } = deps;
  const nameOf = namer(deps.entries);
  const refusal = refusals(deps);
  const run = commandWithSteps({ ...deps.steps, run: chatCommand(deps) });
  const confirmations = createConfirmations(
    {
      chat,
      conversations,
      clock,
      config: options.config,
      ids: options.ids,
      nameOf,
      answer: replySends,
      memberOf: (event) => memberOf(event, allowing(event)),
      always: () => services.settings.set(CONFIRM_RESET.key, "false", { asText: false, force: false }),
    },
    async (event, sessionKey) => refusal(event) ?? run(event, sessionKey),
  );
  const command: RouterDeps["command"] = async (event, sessionKey) => {
    const name = nameOf(commandIn(event) ?? "");
    // The person asked may answer; the command itself is guarded again.
    const refused = name === "approve" || name === "deny" ? undefined : refusal(event);
    return refused ?? confirmations.run(event, sessionKey);
  };
  const own = withAliases(command, { config: options.config, nameOf });
  return { command: own, press: confirmations.press, nameOf: (typed) => nameOf(typed) ?? typed };
}

/** Messages for what a command said; buttons stand under the last of them. */
export function replySends(event: Inbound, said: string | CommandReply): readonly NewSend[] {
  const { text, buttons } = typeof said === "string" ? { text: said, buttons: undefined } : said;
  const key = `event:${event.platform}:${event.account}:${event.eventId}`;
  const laid = layColumns(event.platform, text);
  const sends = sendsOf(event, laid.text, { kind: "reply", format: laid.format, key });
  if (buttons === undefined) return sends;
  return sends.map((send, at) =>
    at < sends.length - 1 ? send : { ...send, payload: { ...send.payload, extra: { buttons } } },
  );
}
