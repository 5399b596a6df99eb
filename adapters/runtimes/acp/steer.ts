import type { Ms } from "../../../lib/base/units.js";
import type { AgentProgram } from "./connect.js";
import { ProgramFailure } from "./failures.js";

const METHOD = "_session/steering";
const STEER_MS: Ms = 5_000;

/** Put words of the user into the running turn. False: the program cannot, or did not take them. */
export async function steer(program: AgentProgram, sessionId: string, text: string): Promise<boolean> {
  if (!program.steers) return false;
  const params = {
    sessionId,
    prompt: [{ type: "text", text }],
    // When the turn has just ended, the words are the next message, which we send ourselves.
    _meta: { steering: { idleBehavior: "promptRequired" } },
  };
  try {
    const request = program.agent.request<{ readonly outcome?: unknown } | null>(METHOD, params);
    const answer = await program.ask("take words into its turn", request, STEER_MS);
    return answer?.outcome === "injected";
  } catch (error) {
    if (error instanceof ProgramFailure) return false;
    throw error;
  }
}
