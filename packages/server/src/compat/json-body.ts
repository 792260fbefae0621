import type { z } from 'zod'
import { readText } from '../body-text.ts'
import { AppError } from '../domain/errors.ts'

/** Null if the body is empty. Throws 400 or 413 if it does not fit. */
export async function readJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  bytesMax: number,
): Promise<z.output<Schema> | null> {
  const text = await readText(request, bytesMax)
  if (text.trim() === '') return null
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw new AppError('validation_failed', 'The body is not JSON. Nothing was changed.')
  }
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const where = issue!.path.join('.')
  throw new AppError('validation_failed', `The body is not valid: ${where && `${where}: `}${issue!.message}.`)
}
