import type { SessionId } from "../base/units.js";
import type { ChatApi, NewSession } from "../contracts/chat/chat.js";
import type { ChatDeps } from "./chat-deps.js";
import { listTools } from "./prompt/tool-list.js";
import { measurePrompt } from "./prompt-size.js";
import { withKnownSkills } from "./sessions/session-skills.js";

/** Stands for a session that is only measured. */
const NO_SESSION = "none" as SessionId; // no session has it: ids begin with a date

/** What a new session with these options would have. Nothing is created. */
export function previewSessions(deps: ChatDeps): Pick<ChatApi, "promptSize" | "toolList"> {
  const draftOf = ({ profile = deps.home.profile }: NewSession) => ({
    id: NO_SESSION,
    lineage_root: NO_SESSION,
    profile,
  });
  return {
    promptSize: async (given) => {
      const options = await withKnownSkills(deps.ports.skills, given);
      const draft = draftOf(options);
      const boardTools = deps.board(draft, options).tools;
      return measurePrompt(deps, options, { boardTools, redact: deps.gate(draft, options).redact });
    },
    toolList: async (options, switched) =>
      listTools(deps, options, { boardTools: deps.board(draftOf(options), options).tools, switched }),
  };
}
