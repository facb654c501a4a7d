// Colours of differences: white, and eight steps each towards worse and better, with a text colour that reads on it.

import { isWorse } from "../better";
import { type Colors, inkOn, mix } from "../colors";
import type { Payload } from "../payload";
import { STEPS } from "./graphs";

export interface Swatch {
  fill: string;
  text: string;
}

/** At `STEPS + step` the swatch of a difference's step: the most reduced first, the most grown last. */
export type Ramp = Swatch[];

/** The smallest difference has to be told from none. */
const LIGHTEST = 0.18;
/** How far frames that a search does not match sink into the ground. */
const SUNK = 0.75;

/** D3; which direction is the good one depends on the unit. `ground`: what sunk frames sink into. */
export function ramp(colors: Colors, better: Payload["better"], ground?: string): Ramp {
  const made: Ramp = [];
  for (let step = -STEPS; step <= STEPS; step++) {
    const part = step === 0 ? 0 : LIGHTEST + (1 - LIGHTEST) * ((Math.abs(step) - 1) / (STEPS - 1));
    const fill = mix(colors.unchanged, isWorse(step, better) ? colors.slowerChanged : colors.fasterChanged, part);
    const seen = ground === undefined ? fill : mix(fill, ground, SUNK);
    made.push({ fill: seen, text: inkOn(seen) });
  }
  return made;
}
