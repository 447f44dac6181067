type Operation = {
  operationId: string
  tags: string[]
  parameters: { name: string; in: string }[]
  requestBody?: object
  responses: Record<string, object>
}

/** What a reference within the document stands for. */
export function resolve(document: unknown, reference: string): unknown {
  const keys = reference.replace(/^#\//, '').split('/')
  return keys.reduce<unknown>(
    (part, key) =>
      (typeof part === 'object' && part !== null ? Object.entries(part) : []).find(
        ([name]) => name === key,
      )?.[1],
    document,
  )
}

/** The same with each reference replaced by what it stands for; what stands beside the reference counts as well. */
export function written(value: unknown, document: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => written(one, document))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as { $ref?: string }
  const parts = Object.entries(rest).map(([key, part]) => [key, written(part, document)] as const)
  const meant = $ref === undefined ? {} : (written(resolve(document, $ref), document) as object)
  return { ...meant, ...Object.fromEntries(parts) }
}

/** Every call of the description, with nothing left to look up. */
export function operationsOf(document: unknown): Operation[] {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> }
  return Object.values(paths)
    .flatMap((one) => Object.values(one))
    .map((operation) => written(operation, document) as Operation)
}
