import { expect, test } from 'vitest'
import { misread, VARIANTS } from './variants.ts'

const SEEDS = 10
const COUNT = 2_000
const FIRST_SEED = Number(process.env['DECODING_SEED'] ?? 1)

test.each(VARIANTS)(
  `%s: each of ${SEEDS * COUNT} mails is read as it was written (from seed ${FIRST_SEED})`,
  (_, variant) => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      expect(misread(variant, { seed, count: COUNT })).toEqual([])
    }
  },
)
