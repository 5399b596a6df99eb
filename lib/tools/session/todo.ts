import * as z from "zod";
import { parseTodo, summarizeTodo, TODO, TODO_STATUSES, type TodoItem } from "../../contracts/chat/todo.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";

const ITEMS_AT_MOST = 256;
const CONTENT_CHARS = 4_000;

const params = z.object({
  todos: z
    .array(
      z.object({
        id: z.string().describe("Short id of your choice."),
        content: z.string().optional().describe("What is to be done; needed for a new item."),
        status: z.string().optional().meta({ enum: TODO_STATUSES }).describe("Default pending."),
      }),
    )
    .optional()
    .describe("Leave out to read the list."),
  merge: z.boolean().default(false).describe("Change the items named here and keep the others."),
});

type Params = z.output<typeof params>;

export default defineTool({
  name: "todo",
  toolset: "todo",
  description:
    "Keep the list of steps of a longer task. Without todos it reads the list; with todos it replaces it, or with merge: true changes single items by id. " +
    "Use it for work of three or more steps, keep one item in_progress, and mark an item completed as soon as it is done.",
  params,
  risk: "read",
  effects: (given) => (given.todos === undefined ? { reads: ["todo"], writes: [] } : { reads: [], writes: ["todo"] }),
  limits: { ms: 10_000, chars: 100_000 },
  preview: (given) => (given.todos === undefined ? "read" : `${given.todos.length} items`),
  run,
});

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const before = parseTodo(await ctx.state.load(TODO));
  if (given.todos === undefined) return answer(before);
  const after = given.merge ? merge(before, given.todos) : unique(given.todos.map((one) => toItem(one, undefined)));
  if (after.length > ITEMS_AT_MOST)
    return toFailureResult(`a list holds at most ${ITEMS_AT_MOST} items, not ${after.length}`);
  await ctx.state.save(TODO, JSON.stringify(after));
  return answer(after);
}

type Given = NonNullable<Params["todos"]>[number];

function toItem(given: Given, before: TodoItem | undefined): TodoItem {
  const content = (given.content ?? before?.content ?? "").trim().slice(0, CONTENT_CHARS);
  const status =
    TODO_STATUSES.find((one) => one === given.status) ??
    (given.status === undefined ? before?.status : undefined) ??
    "pending";
  return { id: given.id, content: content === "" ? "(no description)" : content, status };
}

/** Order is that of the first, content that of the last with the same id. */
function unique(items: readonly TodoItem[]): readonly TodoItem[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

function merge(before: readonly TodoItem[], given: readonly Given[]): readonly TodoItem[] {
  const items = new Map(before.map((item) => [item.id, item]));
  for (const one of given) items.set(one.id, toItem(one, items.get(one.id)));
  return [...items.values()];
}

function answer(todos: readonly TodoItem[]): ToolResult {
  return { text: jsonResult({ todos, summary: summarizeTodo(todos) }) };
}
