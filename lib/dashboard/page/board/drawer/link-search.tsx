import type { TargetedKeyboardEvent } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import { useBoardState } from "../board-context.js";
import { useOpenTask } from "./drawer-context.js";
import { findLinkCandidates } from "./matches.js";

interface SearchProps {
  label: string;
  link(id: string): void;
}

/** Finds a task by its words or its id; arrow keys and Enter choose it. */
export function LinkSearch({ label, link }: SearchProps) {
  const { id: here } = useOpenTask();
  const cards = useBoardState((state) => state.cards);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const found = useMemo(() => findLinkCandidates([...cards.values()], text, here), [cards, text, here]);
  const choose = (id: string): void => {
    setText("");
    setAt(0);
    link(id);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.key === "ArrowDown") setAt(Math.min(found.length - 1, at + 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
    else if (event.key === "Enter") {
      const chosen = found[at];
      if (chosen !== undefined) choose(chosen.id);
    } else if (event.key === "Escape" && text !== "") setText("");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const open = text.trim() !== "";
  return (
    <div class="search-box">
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={open && found[at] !== undefined ? `${list}-${at}` : undefined}
        placeholder={`${label}…`}
        autoComplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label={label} class="search-list" hidden={!open}>
        {open && found.length === 0 && <p class="soft">No task on this board says that.</p>}
        {found.map(({ id, title, status }, place) => (
          <div
            key={id}
            id={`${list}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === at}
            onMouseDown={(event) => {
              event.preventDefault();
              choose(id);
            }}
          >
            <code>{id}</code> {title} <span class="soft">{status}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
