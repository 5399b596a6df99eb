import type { Task } from "../../../../contracts/board/board.js";

type Candidate = Pick<Task, "id" | "title" | "status" | "updated_at" | "parents" | "children">;

const MOST = 8;

/** Tasks whose id begins so, or whose title holds every word; the newest first. The task itself and what it is linked with are no answers. */
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
