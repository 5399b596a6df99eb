import { isStored } from "../../../storage/stored.js";
import { listUnsortedNames } from "../../base/fs/home-files.js";
import type { Home } from "../../base/home.js";

/** Whether the home has a state store, or what is left of one: a reader creates none. */
export const hasState = (home: Pick<Home, "state">): boolean => isStored(home.state, listUnsortedNames);
