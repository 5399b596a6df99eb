import { useServices } from "../services.js";
import { useStore } from "../state/use-store.js";
import { DialogForm } from "./dialog-form.js";
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
