import { z } from 'zod'
import {
  EMAIL_CHARACTERS_MAX,
  parseEmail,
  PASSWORD_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MIN,
  readUserName,
  USER_NAME_CHARACTERS_MAX,
} from '../../domain/account-fields.ts'

const token = z.string().min(1).max(100)
/** An existing password. The rules for passwords apply only when one is chosen. */
const knownPassword = z.string().max(PASSWORD_CHARACTERS_MAX)
const chosenPassword = z
  .string()
  .min(PASSWORD_CHARACTERS_MIN, `must have at least ${PASSWORD_CHARACTERS_MIN} characters`)
  .max(PASSWORD_CHARACTERS_MAX, `must have at most ${PASSWORD_CHARACTERS_MAX} characters`)
const knownEmail = z.string().trim().max(EMAIL_CHARACTERS_MAX)
const chosenEmail = z.string().transform((text, context) => {
  const email = parseEmail(text)
  if (email !== null) return email
  context.addIssue('must be an email address')
  return z.NEVER
})

export const signUpBody = z.object({
  email: chosenEmail,
  password: chosenPassword,
  name: z.string().trim().max(USER_NAME_CHARACTERS_MAX).transform(readUserName).default(''),
  invite: z.string().max(100).nullable().default(null),
})

export const signInBody = z.object({ email: knownEmail, password: knownPassword })

export const tokenBody = z.object({ token })

export const emailBody = z.object({ email: knownEmail })

/** Sent with the token of a link in a mail. */
export const chosenBody = z.object({ token, password: chosenPassword })

export const passwordBody = z.object({ current: knownPassword.nullable().default(null), new: chosenPassword })
