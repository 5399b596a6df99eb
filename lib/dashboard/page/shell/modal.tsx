import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.js";

interface ModalProps {
  title: string;
  /** Escape, a press beside it, or its cross. */
  close(): void;
  /** Another look: `wide` has room for two versions side by side. */
  size?: "wide";
  children: ComponentChildren;
}

/** A dialog of the browser: it keeps the focus in itself, and gives it back to what had it before. */
export function Modal({ title, close, size, children }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const name = useId();
  // At once: keys that are pressed meanwhile are meant for the dialog, and afterwards for what had the focus before. Closing gives it back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      class={`modal ${size ?? ""}`}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current) close();
      }}
    >
      <div class="modal-box">
        <h2 id={name}>{title}</h2>
        {children}
        {/* Behind what the dialog is for, so that the focus begins there. */}
        <button type="button" class="icon-button modal-close" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
    </dialog>
  );
}
