import { Modal } from "../../shell/modal.js";
import type { Conflict } from "./conflict.js";

interface ConflictProps {
  conflict: Conflict;
  choose(choice: "theirs" | "mine" | "edit"): void;
}

/** Two versions of one field side by side. Nothing is saved until the user chooses one. */
export function ConflictDialog({ conflict, choose }: ConflictProps) {
  return (
    <Modal title={`${conflict.label} has changed`} size="wide" close={() => choose("edit")}>
      <div class="versions">
        <Version name="Saved by someone else" text={conflict.theirs} />
        <Version name="Yours, not saved" text={conflict.mine} />
      </div>
      <footer>
        <button type="button" onClick={() => choose("edit")}>
          Edit mine
        </button>
        <button type="button" onClick={() => choose("theirs")}>
          Keep theirs
        </button>
        <button type="button" class="primary" onClick={() => choose("mine")}>
          Save mine
        </button>
      </footer>
    </Modal>
  );
}

function Version({ name, text }: { name: string; text: string }) {
  return (
    <section>
      <h3>{name}</h3>
      <pre class="version">{text === "" ? <span class="soft">empty</span> : text}</pre>
    </section>
  );
}
