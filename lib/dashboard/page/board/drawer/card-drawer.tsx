import type { TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useServices } from "../../services.js";
import { Icon } from "../../shell/icon.js";
import { formatRoute } from "../../state/route.js";
import { DrawerContent } from "./drawer-content.js";
import { OpenTaskProvider } from "./drawer-context.js";
import { type TaskPageState, useTaskPage } from "./use-task-page.js";

/** Everything about one task, beside the columns. It stands open as long as the address names a task; `#/board` closes it. */
export function CardDrawer({ id }: { id: string }) {
  const { route } = useServices();
  const opening = useTaskPage(id);
  const ref = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  // At once, when it opens and when it closes: a focus that moves later takes keys from what has them by then.
  useLayoutEffect(() => {
    before.current = document.activeElement;
    ref.current?.focus();
    return () => {
      const last = before.current;
      if (last instanceof HTMLElement && last.isConnected) last.focus();
    };
  }, []);
  const close = (): void => {
    window.location.hash = formatRoute({ view: "board", query: route.get().query });
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const inDialog = event.target instanceof Element && event.target.closest("dialog") !== null;
    if (event.key === "Escape" && !inDialog) close();
    // Keys in the drawer are not keys of the columns.
    event.stopPropagation();
  };
  return (
    <aside ref={ref} class="drawer" tabIndex={-1} aria-label={`Task ${id}`} onKeyDown={onKeyDown}>
      <button type="button" class="icon-button drawer-close" aria-label="Close task" onClick={close}>
        <Icon name="close" />
      </button>
      <div class="drawer-scroll">
        <Opened opening={opening} />
      </div>
    </aside>
  );
}

function Opened({ opening }: { opening: TaskPageState }) {
  if (opening.phase === "loading")
    return (
      <p class="soft drawer-note" role="status">
        Opening…
      </p>
    );
  if (opening.phase === "failed")
    return (
      <p class={opening.gone ? "soft drawer-note" : "problem drawer-note"} role="alert">
        {opening.gone ? "No such task on this board. It may have been deleted." : opening.problem}
      </p>
    );
  return (
    <OpenTaskProvider value={opening.task}>
      <DrawerContent key={opening.task.id} />
    </OpenTaskProvider>
  );
}
