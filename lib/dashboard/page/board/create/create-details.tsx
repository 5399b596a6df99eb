import { useId, useState } from "preact/hooks";
import { useBoardState } from "../board-context.js";

/** Most tasks that are offered as a parent; any id can be typed. */
const OFFERED = 200;

/** Who works a new task, how urgent it is, and with `more` everything else. */
export function CreateDetails({ more }: { more: boolean }) {
  const id = useId();
  const assignees = useBoardState((state) => state.assignees);
  return (
    <>
      <div class="create-row">
        <input name="assignee" aria-label="Assignee" placeholder="Assignee" list={`${id}-names`} autoComplete="off" />
        <input name="priority" aria-label="Priority" placeholder="P0" type="number" class="narrow" />
      </div>
      <datalist id={`${id}-names`}>
        {assignees.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {more && <More id={id} />}
    </>
  );
}

function More({ id }: { id: string }) {
  const [kind, setKind] = useState("scratch");
  return (
    <div class="create-more">
      <textarea name="body" aria-label="Description" placeholder="Description (Markdown)" rows={3} />
      <input
        name="skills"
        aria-label="Skills, comma-separated"
        placeholder="Skills, comma-separated"
        autoComplete="off"
      />
      <Parents id={id} />
      <label class="check">
        <input type="checkbox" name="goal_mode" value="true" /> Work until the goal is met
      </label>
      <label class="labelled">
        Workspace
        <select name="workspace_kind" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
          <option value="scratch">Scratch folder</option>
          <option value="dir">Folder</option>
          <option value="worktree">Git worktree</option>
        </select>
      </label>
      {kind !== "scratch" && (
        <input
          name="workspace_path"
          aria-label="Absolute path"
          placeholder={kind === "dir" ? "Absolute path" : "Path of the repository"}
        />
      )}
      {kind === "worktree" && <input name="branch_name" aria-label="Branch" placeholder="Branch" />}
      <label class="labelled">
        Not before
        <input type="datetime-local" name="scheduled_at" />
      </label>
    </div>
  );
}

function Parents({ id }: { id: string }) {
  const cards = useBoardState((state) => state.cards);
  const open = [...cards.values()].filter(({ status }) => status !== "done" && status !== "archived").slice(0, OFFERED);
  return (
    <>
      <input
        name="parents"
        aria-label="Waits for (task ids)"
        placeholder="Waits for (task ids)"
        list={`${id}-tasks`}
        autoComplete="off"
      />
      <datalist id={`${id}-tasks`}>
        {open.map((card) => (
          <option key={card.id} value={card.id}>
            {card.title}
          </option>
        ))}
      </datalist>
    </>
  );
}
