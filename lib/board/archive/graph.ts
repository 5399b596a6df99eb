import { badArchive } from "../../safety/archive/tar-name.js";

/** What was seen of the rows so far: later rows may name only what was there. */
export class Seen {
  readonly tasks = new Map<string, string>();
  readonly #running = new Set<string>();
  readonly #open = new Set<string>();
  readonly #children = new Map<string, string[]>();
  readonly #parents = new Map<string, number>();

  task({ id, status }: { id: string; status: string }): void {
    if (this.tasks.has(id)) throw badArchive("duplicate task:", id);
    this.tasks.set(id, status);
    if (status === "running") this.#running.add(id);
  }

  mustKnow(id: string, what: string): void {
    if (!this.tasks.has(id)) throw badArchive(`${what} of an unknown task:`, id);
  }

  link(parent: string, child: string): void {
    for (const id of [parent, child]) this.mustKnow(id, "a link");
    if (parent === child) throw badArchive("a task that depends on itself:", parent);
    const count = (this.#parents.get(child) ?? 0) + 1;
    if (count > 100) throw badArchive("a task with more than 100 parents:", child);
    this.#parents.set(child, count);
    const children = this.#children.get(parent) ?? [];
    children.push(child);
    this.#children.set(parent, children);
  }

  run(task: string, open: boolean): void {
    this.mustKnow(task, "a run");
    if (!open) return;
    if (this.#open.has(task) || !this.#running.has(task))
      throw badArchive("an open run of a task that is not running, or a second open run:", task);
    this.#open.add(task);
  }

  /** Everything was seen. @throws E_INVALID a circle of links, a running task without a run */
  whole(): void {
    for (const id of this.#running)
      if (!this.#open.has(id)) throw badArchive("a running task without an open run:", id);
    const waits = new Map(this.#parents);
    const free = [...this.tasks.keys()].filter((id) => !waits.has(id));
    let settled = 0;
    for (let id = free.pop(); id !== undefined; id = free.pop()) {
      settled += 1;
      for (const child of this.#children.get(id) ?? []) {
        const left = (waits.get(child) ?? 0) - 1;
        waits.set(child, left);
        if (left === 0) free.push(child);
      }
    }
    if (settled < this.tasks.size) throw badArchive("dependency cycle");
  }
}
