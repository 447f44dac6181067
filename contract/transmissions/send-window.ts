import * as z from 'zod/mini'

const Clock = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'invalid'))

/** Messages leave within these days of the week (1 is Monday) and hours, on the clock of the organization. */
export const SendWindow = z
  .object({
    days: z
      .array(z.int().check(z.gte(1, 'too_small'), z.lte(7, 'too_big')))
      .check(z.minLength(1, 'required'), z.maxLength(7, 'too_long')),
    from: Clock,
    to: Clock,
  })
  .check(z.refine(({ from, to }) => from < to, { error: 'invalid', path: ['to'] }))
export type SendWindow = z.infer<typeof SendWindow>
