import * as z from "zod";

/** Name of the record of a lineage that holds its list of steps. */
export const TODO = "todo";

export const TODO_STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;
export type TodoStatus = (typeof TODO_STATUSES)[number];

/** One step of a longer task, as the model keeps them. */
export const todoItem = z
  .object({ id: z.string(), content: z.string(), status: z.enum(TODO_STATUSES) })
  .meta({ id: "TodoItem" });
export type TodoItem = Readonly<z.output<typeof todoItem>>;

const items = z.array(todoItem);

/** How many steps there are, and how many of each status. */
export const todoSummary = z.object({
  total: z.int(),
  pending: z.int(),
  in_progress: z.int(),
  completed: z.int(),
  cancelled: z.int(),
});

/** The list that a record holds; empty when it holds none. */
export function parseTodo(json: string | undefined): readonly TodoItem[] {
  if (json === undefined) return [];
  const parsed = items.safeParse(JSON.parse(json));
  return parsed.success ? parsed.data : [];
}

/** Counts of a list by status. */
export function summarizeTodo(todos: readonly TodoItem[]): Readonly<Record<"total" | TodoStatus, number>> {
  const count = (status: TodoStatus) => todos.filter((one) => one.status === status).length;
  return {
    total: todos.length,
    pending: count("pending"),
    in_progress: count("in_progress"),
    completed: count("completed"),
    cancelled: count("cancelled"),
  };
}

/** Data of the event `todo.changed`. */
export const todoChanged = (json: string) => {
  const todos = parseTodo(json);
  return { items: todos, summary: summarizeTodo(todos) };
};
