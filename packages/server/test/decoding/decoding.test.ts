import { expect, test } from 'vitest'
import { misread, VARIANTS } from './variants.ts'

const SEED = Number(process.env['DECODING_SEED'] ?? 1)
/** The long form has many more. */
const COUNT = 60

test.each(VARIANTS)(`%s: encoded text is decoded to the original (seed ${SEED})`, (_, variant) => {
  expect(misread(variant, { seed: SEED, count: COUNT })).toEqual([])
})
