import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Editing {
  readonly editing: boolean;
  /** The button that opens the editor; it has the focus again when the editor is closed. */
  readonly button: RefObject<HTMLButtonElement | null>;
  edit(): void;
  close(): void;
}

/** Whether a value is being edited in its place. */
export function useEditing(): Editing {
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const was = useRef(false);
  useEffect(() => {
    if (!editing && was.current) button.current?.focus();
    was.current = editing;
  }, [editing]);
  return { editing, button, edit: () => setEditing(true), close: () => setEditing(false) };
}
