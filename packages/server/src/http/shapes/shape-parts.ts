import { z } from 'zod'

// Compares the keys too, because a type that lacks an optional key would pass otherwise.
type Same<One, Other> = [One, keyof One] extends [Other, keyof Other]
  ? [Other, keyof Other] extends [One, keyof One]
    ? true
    : false
  : false

/** Returns the schema. Compiles only if the schema and the wire type allow exactly the same values. */
export function shapeOf<Wire>() {
  return <Schema extends z.ZodType>(schema: Same<z.output<Schema>, Wire> extends true ? Schema : never): Schema =>
    schema
}

export const id = z.guid().meta({ example: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24' })
export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
export const count = z.int().nonnegative()
export const described = (schema: z.ZodType<string>, description: string) => schema.meta({ description })
export const text = (description: string, example: string) => z.string().meta({ description, example })
export const textOrNull = (description: string, example: string | null) =>
  z.string().nullable().meta({ description, example })
