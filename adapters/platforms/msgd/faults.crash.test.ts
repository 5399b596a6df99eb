import { MSGD_LINE } from "../../../fixtures/platforms/faults/lines/msgd.js";
import { holdsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderKills(MSGD_LINE);
