import type { DiagnosticAction } from "../../../../contracts/board/explain.js";
import type { Services } from "../../services.js";
import { formatRoute } from "../../state/route.js";
import type { PageBoard } from "../board.js";
import { taskCalls } from "../drawer/calls.js";
import { commandOf } from "./rank.js";

interface Parts {
  readonly services: Pick<Services, "api" | "dialogs" | "route" | "tell">;
  readonly board: PageBoard;
}

/** Do what a diagnostic offers; whatever needs words or ends a worker is asked about first. */
export async function perform(
  { services, board }: Parts,
  action: DiagnosticAction,
  target: string | null,
): Promise<void> {
  const { kind } = action;
  if (kind === "cli_hint") return copy(services, commandOf(action) ?? action.label);
  if (kind === "open_docs") return services.tell("told", `agent help ${String(action.payload["topic"] ?? "")}`.trim());
  if (target === null) return;
  const done = await ACTS[kind]({
    services,
    board,
    action,
    target,
    calls: taskCalls(services.api, board.slug, target),
  });
  if (done !== undefined) services.tell("done", done);
}

interface Act extends Parts {
  readonly action: DiagnosticAction;
  readonly target: string;
  readonly calls: ReturnType<typeof taskCalls>;
}

/** Each gives the notice to show when it was done; undefined: it was called off, or is seen anyway. */
const ACTS: Readonly<
  Record<Exclude<DiagnosticAction["kind"], "cli_hint" | "open_docs">, (act: Act) => Promise<string | undefined>>
> = {
  reclaim: async ({ services, action, target, calls }) => {
    const sure = await services.dialogs.confirm({
      title: `${action.label}: ${target}`,
      text: "A running worker is stopped.",
      confirm: action.label,
      danger: true,
    });
    if (!sure) return undefined;
    await calls.reclaim("from its diagnostics");
    return `${target} waits for a worker again.`;
  },
  reassign: async ({ services, board, target, calls }) => {
    const options = board.state.get().assignees.map((value) => ({ value, label: value }));
    const answers = await services.dialogs.ask({
      title: `Reassign ${target}`,
      text: "A running worker is stopped.",
      confirm: "Give",
      fields: [{ name: "profile", label: "Assignee", kind: "line", required: true, options }],
    });
    if (answers === undefined) return undefined;
    await calls.reassign((answers["profile"] ?? "").trim());
    return `${target} was reassigned to ${answers["profile"] ?? ""}.`;
  },
  unblock: async ({ target, calls }) => {
    await calls.change({ status: "ready" });
    return `${target} is unblocked.`;
  },
  promote: async ({ target, calls }) => {
    await calls.change({ status: "ready" });
    return `${target} is ready.`;
  },
  edit: async ({ services, action, target, calls }) => {
    const { task_id: _target, ...fields } = action.payload;
    if (Object.keys(fields).length > 0) {
      await calls.change(fields);
      return `${target}: ${action.label}.`;
    }
    window.location.hash = formatRoute({ view: "board", id: target, query: services.route.get().query });
    return undefined;
  },
  comment: async ({ services, action, target, calls }) => {
    const answers = await services.dialogs.ask({
      title: `${action.label}: ${target}`,
      confirm: "Comment",
      fields: [{ name: "text", label: "Comment", kind: "text", required: true }],
    });
    if (answers === undefined) return undefined;
    await calls.comment(answers["text"] ?? "");
    return `Your comment on ${target} is stored.`;
  },
};

async function copy({ tell }: Pick<Services, "tell">, command: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(command);
    tell("done", `Copied: ${command}`);
  } catch {
    /* ok to lose: a page without the right to copy shows the command, which can be marked by hand */
    tell("told", command);
  }
}
