import type { TargetedKeyboardEvent } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { Task } from "../../../../contracts/board/board.js";
import { useBoardState } from "../board-context.js";
import { useOpenTask } from "./drawer-context.js";

type Candidate = Pick<Task, "id" | "title" | "status" | "updated_at" | "parents" | "children">;

const MOST = 8;

/** Tasks whose id begins so, or whose title holds every word; the newest first. The task itself and what it is linked with are left out. */
export function findLinkCandidates<T extends Candidate>(tasks: readonly T[], text: string, here: string): readonly T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const fits = ({ id, title, parents, children }: T): boolean => {
    if (id === here || parents.some((one) => one === here) || children.some((one) => one === here)) return false;
    return id.startsWith(words.join("")) || words.every((word) => title.toLowerCase().includes(word));
  };
  return tasks
    .filter(fits)
    .toSorted((a, b) => b.updated_at - a.updated_at)
    .slice(0, MOST);
}

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
        {open && found.length === 0 && <p class="soft">No matching task on this board.</p>}
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
