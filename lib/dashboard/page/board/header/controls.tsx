import { Icon } from "../../shell/icon.js";
import { NOBODY } from "../../state/board/filter.js";

/** The search over the board. Enter and the arrow down lead to what was found. */
export function Search({ value, set, leave }: { value: string; set(text: string): void; leave(): void }) {
  return (
    <label class="search">
      <Icon name="search" />
      <span class="sr-only">Search tasks</span>
      <input
        id="board-search"
        type="search"
        placeholder="Search ( / )"
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === "ArrowDown") {
            event.preventDefault();
            event.currentTarget.blur();
            leave();
          } else if (event.key === "Escape") {
            if (value === "") event.currentTarget.blur();
            else set("");
          }
        }}
      />
    </label>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  value: string;
  names: readonly string[];
  nobody?: boolean;
  set(name: string): void;
}

/** One of some names, or all of them. */
export function ChoiceField({ label, all, value, names, nobody, set }: ChoiceProps) {
  if (names.length === 0) return null;
  return (
    <select aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
      <option value="">{all}</option>
      {nobody && <option value={NOBODY}>Unassigned</option>}
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** A switch. */
export function Toggle({ label, on, turn }: { label: string; on: boolean; turn(): void }) {
  return (
    <button type="button" class="toggle quiet" aria-pressed={on} onClick={turn}>
      {label}
    </button>
  );
}
