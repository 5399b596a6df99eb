import { Modal } from "../../shell/modal.js";
import { SHORTCUTS } from "../../state/board/shortcuts.js";
import { useBoardController, useView } from "../desk.js";

/** What the keys do. */
export function KeyHelp() {
  const { view } = useBoardController();
  const open = useView((now) => now.help);
  if (!open) return null;
  return (
    <Modal title="Keys" close={() => view.update((now) => ({ ...now, help: false }))}>
      <dl class="keys">
        {SHORTCUTS.map(({ keys, text }) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">Drag cards with the mouse, or touch and hold. Ctrl or Shift and click select several.</p>
    </Modal>
  );
}
