import { afterAll, beforeAll, expect, test } from 'vitest'
import * as pictures from '#contract/directory/pictures.ts'
import { png } from '../../testing/media/png.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'

let server: TestServer
let admin: Person
beforeAll(async () => {
  server = await startTestServer()
  admin = await server.person('admin', await server.organization('Pictured'))
})
afterAll(() => server.close())

const bodyOf = (file: Buffer) => ({ data: file.toString('base64') })

test('many large pictures of one organization hold up nobody else', async () => {
  const other = await server.person('admin', await server.organization('With one picture'))
  const large = bodyOf(png(4_000, 3_000))
  const order: string[] = []
  const before = performance.eventLoopUtilization()
  const put = async (person: Person, body: { data: string }, name: string) => {
    const answer = await person.call(pictures.putOwnAvatar, { body })
    order.push(name)
    return answer.status
  }
  const many = Array.from({ length: 5 }, (_, n) => put(admin, large, `large ${n}`))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const one = put(other, bodyOf(png(60, 60)), 'small')
  expect(await Promise.all([...many, one])).toEqual([200, 200, 200, 200, 200, 200])
  expect(order.indexOf('small')).toBeLessThanOrEqual(1)
  // Processes of their own draw: meanwhile the server itself waits, most of the time.
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.3)
})

test('who has ten pictures waiting is asked to wait', async () => {
  const body = bodyOf(png(300, 300))
  const answers = await Promise.all(
    Array.from({ length: 14 }, () => admin.call(pictures.putOwnAvatar, { body })),
  )
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(4)
  expect(refused[0]?.problem?.retryAfter).toBe(10)
})
