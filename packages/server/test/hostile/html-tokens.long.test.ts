import { test } from 'vitest'
import { compareWithStandard } from '../support/compare-html.ts'

const SEED = Date.now() % 1_000_000

test(`random documents are read as by parse5, and cleaned of everything that is not allowed (seed ${SEED})`, () => {
  compareWithStandard({ seed: SEED, documents: 100_000 })
})
