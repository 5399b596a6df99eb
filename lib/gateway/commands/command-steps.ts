import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { TopicCommands } from "../conversations/chat-topics.js";
import type { RunChatCommand } from "./chat-command.js";

/** What is done with a command of a chat that may be run and is meant, besides running it. */
export interface CommandSteps {
  /** Hooks answer the command, or say which command is run: the one that was sent, or another one in its place. */
  readonly hooks: (event: Inbound) => Promise<{ readonly answer: string } | { readonly event: Inbound }>;
  readonly turn: TurnCommands;
  /** Answer of a command that only its platform has. Undefined: another command. */
  readonly platform: (event: Inbound) => Promise<string | undefined>;
  readonly topics: TopicCommands;
  /** The command itself (`chat-command.ts`). */
  readonly run: RunChatCommand;
}

/** Commands that concern the running turn. */
export interface TurnCommands {
  /** Answer to `/approve` or `/deny`. Undefined: another command, or nothing of this chat is asked. */
  readonly answer: (event: Inbound, sessionKey: string) => Promise<string | undefined>;
  /** Withdraw the turn that a command ends (gateway part, 10.3). True: a turn was withdrawn. */
  readonly end: (event: Inbound, sessionKey: string) => boolean;
  /** What the chat reads after the command; `ended`: a turn was withdrawn for it. */
  readonly after: (
    event: Inbound,
    sessionKey: string,
    done: { readonly ended: boolean; readonly text: string },
  ) => Promise<string>;
}

/** A command with all its steps. */
export const commandWithSteps =
  (steps: CommandSteps): RunChatCommand =>
  async (sent, sessionKey) => {
    const decided = await steps.hooks(sent);
    if ("answer" in decided) return decided.answer;
    const { event } = decided;

    const answered = await steps.turn.answer(event, sessionKey);
    if (answered !== undefined) return answered;

    const ended = steps.turn.end(event, sessionKey);
    const text = await runOrRefuse(steps, event, sessionKey);
    return steps.turn.after(event, sessionKey, { ended, text });
  };

async function runOrRefuse(steps: CommandSteps, event: Inbound, sessionKey: string): Promise<string> {
  const ofPlatform = await steps.platform(event);
  if (ofPlatform !== undefined) return ofPlatform;
  const refused = await steps.topics.refusal(event);
  if (refused !== undefined) return refused;
  const text = await steps.run(event, sessionKey);
  return steps.topics.after(event, sessionKey, text);
}
