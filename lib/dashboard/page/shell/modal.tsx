import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
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
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
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
