import type { ScreenStart } from "../../lib/contracts/ui/screen-start.js";

/** What is said while nothing was said yet; undefined: it is not known. `toldAt`: wall clock of then, so that an age does not tick on an idle screen. */
export type StartState = (ScreenStart & { readonly toldAt: number }) | undefined;
