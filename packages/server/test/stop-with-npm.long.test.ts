import { test } from 'vitest'
import { expectStop, SIGNALS, WAYS } from './support/npm-start.ts'

const CASES = WAYS.flatMap(([way, scripts]) =>
  SIGNALS.flatMap((signal) => [false, true].map((isOld) => ({ way, scripts, signal, isOld }))),
)

test.each(CASES)('$signal to $way stops the program (on an old Node: $isOld)', expectStop)
