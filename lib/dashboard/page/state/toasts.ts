/** Something that happened, told in passing. */
export interface Toast {
  readonly id: number;
  readonly kind: "done" | "failed" | "told";
  readonly text: string;
}

/** More would cover the page; the oldest goes first. */
const MOST = 4;

/** The notices, the newest last. The same words are not shown twice at once. */
export const withToast = (toasts: readonly Toast[], toast: Toast): readonly Toast[] =>
  [...toasts.filter(({ text, kind }) => text !== toast.text || kind !== toast.kind), toast].slice(-MOST);

/** Without the one that was read. */
export const withoutToast = (toasts: readonly Toast[], id: number): readonly Toast[] => {
  const rest = toasts.filter((one) => one.id !== id);
  return rest.length === toasts.length ? toasts : rest;
};
