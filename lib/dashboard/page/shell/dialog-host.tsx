import type { TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import { useServices } from "../services.js";
import type { Answers, DialogQuestion } from "../state/dialogs.js";
import { useStore } from "../state/use-store.js";
import { FormField } from "./form-field.js";
import { Modal } from "./modal.js";

/** The questions that stand open; the newest is above the others. */
export function DialogHost() {
  const open = useStore(useServices().openDialogs, (now) => now);
  return (
    <>
      {open.map(({ id, question, answer }) => (
        <Modal key={id} title={question.title} close={() => answer(undefined)}>
          <DialogForm question={question} answer={answer} />
        </Modal>
      ))}
    </>
  );
}

/** A question's fields and its two buttons. */
function DialogForm({ question, answer }: { question: DialogQuestion; answer(answers: Answers | undefined): void }) {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const fields = question.fields ?? [];
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const answers = Object.fromEntries(fields.map(({ name }) => [name, String(form.get(name) ?? "")]));
    const wrong = question.check?.(answers);
    if (wrong === undefined) answer(answers);
    else setProblem(wrong);
  };
  return (
    <form class="dialog-form" onSubmit={submit}>
      {question.text !== undefined && <p class="dialog-text">{question.text}</p>}
      {fields.map((field, at) => (
        <FormField key={field.name} field={field} first={at === 0} />
      ))}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <footer>
        <button type="button" onClick={() => answer(undefined)}>
          Cancel
        </button>
        <button type="submit" class={question.danger ? "danger" : "primary"} autofocus={fields.length === 0}>
          {question.confirm}
        </button>
      </footer>
    </form>
  );
}
