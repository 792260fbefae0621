import { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import type { SetAsideNotice } from '../domain/set-aside.ts'
import { isAtMost } from '../domain/text-patterns.ts'
import { detailsOf } from './schema-problems.ts'

/** Twice the longest address, and longer than any reason. */
const TEXT_CHARACTERS_MAX = 1_000

const text = z
  .string()
  .refine((value) => isAtMost(value, TEXT_CHARACTERS_MAX), `must have at most ${TEXT_CHARACTERS_MAX} characters`)

/** The body of `POST /webhooks/inbox/set-aside`. */
export const setAsideSchema = z.object({
  id: z.guid().meta({ description: 'Id of the mail.', example: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24' }),
  from: text.meta({
    maxLength: TEXT_CHARACTERS_MAX,
    description: 'Address of the sender; may be empty.',
    example: 'app@shop.example',
  }),
  to: text
    .min(1, 'is required')
    .meta({ maxLength: TEXT_CHARACTERS_MAX, description: 'The recipient.', example: 'qa+42@mailhatch.test' }),
  reason: text.meta({
    maxLength: TEXT_CHARACTERS_MAX,
    description: 'Why the worker no longer announces the mail automatically.',
    example: 'Set aside after 3 failures: the API cannot store this mail (500), while it accepts other mail.',
  }),
})

export function readNotice(body: unknown): SetAsideNotice {
  const result = setAsideSchema.safeParse(body)
  if (result.success) return result.data
  throw new AppError('validation_failed', 'The notice is not valid.', { status: 422, details: detailsOf(result.error) })
}
