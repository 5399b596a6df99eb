import { withLinkedSignal } from "../../../../lib/base/async/abort-any.js";
import { answerCommand } from "./command.js";
import { answerElicitation } from "./elicitation.js";
import { answerFileChange } from "./file-change.js";
import { answerPermissions } from "./permissions.js";
import { answerQuestions } from "./questions.js";
import {
  type Reply,
  type RequestContext,
  type RequestHandler,
  type RequestId,
  type RequestsInput,
  unsupported,
} from "./types.js";

export type { Reply, RequestId, RequestsInput } from "./types.js";

/** Requests of the app-server to its client (extensions part, 8.5 to 8.7). */
export interface ServerRequests {
  /**
   * Answer one. Never rejects.
   *
   * @param signal aborts when the turn is interrupted or the program has ended
   * @returns undefined when the server has withdrawn the request meanwhile: nothing is sent
   */
  answer(method: string, id: RequestId, params: unknown, signal: AbortSignal): Promise<Reply | undefined>;
  /** `serverRequest/resolved`: an open question for this id is withdrawn. */
  resolved(id: RequestId): void;
}

/** Requests that are answered; any other one is an unsupported method. */
export const REQUEST_HANDLERS: ReadonlyMap<string, RequestHandler> = new Map([
  ["item/commandExecution/requestApproval", answerCommand],
  ["item/fileChange/requestApproval", answerFileChange],
  ["item/permissions/requestApproval", answerPermissions],
  ["mcpServer/elicitation/request", answerElicitation],
  ["item/tool/requestUserInput", answerQuestions],
]);

export function createRequests(input: RequestsInput): ServerRequests {
  const open = new Map<RequestId, AbortController>();
  return {
    resolved: (id) => open.get(id)?.abort(new Error("withdrawn by the app-server")),
    answer: async (method, id, params, signal) => {
      const handler = REQUEST_HANDLERS.get(method);
      if (handler === undefined) {
        input.log.info("unsupported request of the app-server", { method });
        return unsupported(method);
      }
      const withdrawn = new AbortController();
      open.set(id, withdrawn);
      const reply = await withLinkedSignal([signal, withdrawn.signal], (both) =>
        handle(handler, params, { ...input, signal: both }),
      );
      open.delete(id);
      return withdrawn.signal.aborted ? undefined : reply;
    },
  };
}

async function handle(handler: RequestHandler, params: unknown, context: RequestContext): Promise<Reply> {
  try {
    return await handler.answer(params, context);
  } catch (error) {
    // Whatever is wrong with a request, nothing is allowed by it.
    context.log.warning("failed to answer a request of the app-server", { error: String(error) });
    return handler.refusal;
  }
}
