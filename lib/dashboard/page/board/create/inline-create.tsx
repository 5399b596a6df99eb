import type { TargetedSubmitEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Status, Task } from "../../../../contracts/board/board.js";
import { words } from "../../net/auth.js";
import { readDraftForm } from "../../state/board/draft.js";
import { type BoardController, useBoardController } from "../desk.js";
import { CreateDetails } from "./create-details.js";

/** A new task at the head of its column. It stays open after one was made, for the next; Escape closes it. */
export function InlineCreate({ column }: { column: Status }) {
  const desk = useBoardController();
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [more, setMore] = useState(column === "scheduled");
  const [busy, setBusy] = useState(false);
  const close = (): void => desk.view.update((now) => ({ ...now, creating: undefined, focus: now.focus + 1 }));
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const draft = readDraftForm(new FormData(event.currentTarget), column);
    if ("problem" in draft) return setProblem(draft.problem);
    setBusy(true);
    try {
      const task = await sendNewTask(desk, draft.fields);
      desk.view.update((now) => ({ ...now, cursor: task.id }));
      form.current?.reset();
      form.current?.querySelector("input")?.focus();
      setProblem(undefined);
    } catch (error) {
      setProblem(words(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      class="create"
      aria-label="New task"
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <input
        name="title"
        aria-label="Title"
        placeholder="What is to be done?"
        maxLength={300}
        required
        autoComplete="off"
        ref={focusOnce}
      />
      <CreateDetails more={more} />
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <footer>
        <button type="submit" class="primary" disabled={busy}>
          Create
        </button>
        <button type="button" class="quiet" aria-expanded={more} onClick={() => setMore(!more)}>
          {more ? "Less" : "More"}
        </button>
        <span class="grow" />
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </footer>
    </form>
  );
}

/** Given the element once, when it appears: a new function at each showing would take the focus again and again. */
const focusOnce = (input: HTMLInputElement | null): void => input?.focus();

interface Made {
  readonly task: Task;
  readonly created: boolean;
  readonly warning?: string;
}

/** Make a task; it is on the page when this resolves. */
async function sendNewTask(desk: BoardController, fields: Readonly<Record<string, unknown>>): Promise<Task> {
  const { task, warning } = await desk.board.send<Made>("POST", "/tasks", fields);
  if (warning !== undefined) desk.services.tell("told", warning);
  await desk.board.refresh([task.id]);
  return task;
}
