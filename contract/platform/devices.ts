import * as z from 'zod/mini'

/** What a browser says that it is: a hint, never a proof. Null: none that is known here. */
export const Device = z.object({
  /** Such as Firefox. */
  browser: z.nullable(z.string()),
  /** Such as Windows. */
  system: z.nullable(z.string()),
})
export type Device = z.infer<typeof Device>

export function deviceName({ browser, system }: Device): string {
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? 'Unknown browser'
}
