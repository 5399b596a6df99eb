import { useServices } from "../services.js";
import { withoutToast } from "../state/toasts.js";
import { useStore } from "../state/use-store.js";
import { Icon } from "./icon.js";

/** Passing notices, in a corner that screen readers announce too. */
export function ToastHost() {
  const { toasts } = useServices();
  const shown = useStore(toasts, (now) => now);
  return (
    <section class="toasts" aria-live="polite" aria-label="Messages">
      {shown.map(({ id, kind, text }) => (
        <div key={id} class={`toast toast-${kind}`} role={kind === "failed" ? "alert" : "status"}>
          <Icon name={kind === "failed" ? "warning" : "check"} />
          <span>{text}</span>
          <button
            type="button"
            class="icon-button"
            aria-label="Dismiss"
            onClick={() => toasts.update((all) => withoutToast(all, id))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </section>
  );
}
