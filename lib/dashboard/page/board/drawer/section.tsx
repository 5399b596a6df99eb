import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Icon } from "../../shell/icon.js";

interface SectionProps {
  title: string;
  /** How many things are in it; shown beside the title. */
  count?: number | undefined;
  /** Unfolded until the user folds it. */
  open?: boolean;
  /** Made only while it is unfolded. */
  children(): ComponentChildren;
}

/** A part of the drawer that can be folded. What is in it is read only when it is unfolded. */
export function Section({ title, count, open = false, children }: SectionProps) {
  const [chosen, setChosen] = useState<boolean | undefined>(undefined);
  const shown = chosen ?? open;
  const id = useId();
  return (
    <section class="part" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>
        <button
          type="button"
          class="part-fold"
          aria-expanded={shown}
          aria-controls={id}
          onClick={() => setChosen(!shown)}
        >
          <Icon name="chevron" />
          {title}
          {count !== undefined && count > 0 && <span class="chip">{count}</span>}
        </button>
      </h3>
      <div id={id} class="part-body" hidden={!shown}>
        {shown && children()}
      </div>
    </section>
  );
}
