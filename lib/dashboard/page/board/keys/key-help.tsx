import { Modal } from "../../shell/modal.js";
import { SHORTCUTS } from "../../state/board/shortcuts.js";
import { useDesk, useView } from "../desk.js";

/** What the keys do. */
export function KeyHelp() {
  const { view } = useDesk();
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
      <p class="hint">
        Cards are dragged with the mouse, or with a finger that rests on them. Ctrl or Shift and a click select several.
      </p>
    </Modal>
  );
}
