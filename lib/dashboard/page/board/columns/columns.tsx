import { columnsOf } from "../../state/board/view.js";
import { useView } from "../desk.js";
import { useDragSource } from "../drag/drag-source.js";
import { Column } from "./column.js";

/** The columns side by side. */
export function Columns() {
  const archived = useView((view) => view.archived);
  const source = useDragSource();
  return (
    <div class="columns" {...source}>
      {columnsOf({ archived }).map((kind) => (
        <Column key={kind.name} kind={kind} />
      ))}
    </div>
  );
}
