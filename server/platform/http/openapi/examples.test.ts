import { expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import { FileBody, FileReply } from '#contract/endpoint.ts'
import { exampleOf } from './examples.ts'

const parts = api.flatMap((endpoint) =>
  (['params', 'query', 'body', 'reply'] as const).flatMap((part) => {
    const schema = endpoint[part]
    return schema && schema !== FileReply && schema !== FileBody
      ? [[`${endpoint.name}.${part}`, schema] as const]
      : []
  }),
)

/** The fields of a value that hold nothing, which JSON would leave out. */
function empty(value: unknown, place = ''): string[] {
  if (value === undefined) return [place]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => empty(part, `${place}.${name}`))
}

test('an example of everything that is sent and answered is what its schema takes, and leaves nothing open', () => {
  for (const [place, schema] of parts) {
    const example = exampleOf(schema)
    expect(schema.safeParse(example).error, place).toBeUndefined()
    expect(empty(example), place).toEqual([])
  }
})

test('an example is the same every time, and an id the same wherever its field stands', () => {
  for (const [, schema] of parts) expect(exampleOf(schema)).toEqual(exampleOf(schema))
  const ids = new Set<unknown>()
  for (const [, schema] of parts) {
    const { videoId } = (exampleOf(schema) ?? {}) as { videoId?: unknown }
    if (videoId) ids.add(videoId)
  }
  expect(ids.size).toBe(1)
})
