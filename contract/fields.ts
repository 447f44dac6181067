/** What a field of an organization's own may hold. Values are kept as text: numbers in decimal, dates as YYYY-MM-DD. */
export const fieldTypes = ['text', 'number', 'date', 'choice'] as const
export type FieldType = (typeof fieldTypes)[number]

/** Fields of one organization. */
export const mostFields = 30
